import { compareText } from '../../text/compare-text.ts'
import { shortened, shortenedLines } from '../../text/shortened.ts'

export type Path = readonly (string | number)[]

/** A problem at a path in the file; `at` says whether it concerns the name or its value. */
export type Finding = {
  readonly path: Path
  readonly at: 'name' | 'value'
  readonly text: string
  /** Set if the finding is a reference to an unknown check. */
  readonly isUnknownCheck?: true
}

/** A finding, and the file that it is in: null for the config file itself. */
export type FoundIn = { readonly file: string | null; readonly finding: Finding }

/** A problem in the config file, or in an included `file`, with its line and an actionable message. */
export type Fault = { readonly file?: string; readonly line: number; readonly text: string }

export class ConfigFaults extends Error {
  override readonly name = 'ConfigFaults'
  readonly faults: readonly Fault[]

  /** Shows the first faults, and cuts the middle of long ones. Secrets are redacted already. */
  constructor(file: string, faults: readonly Fault[]) {
    const shown = faults.slice(0, maxFaults).map((fault) => ({ ...fault, text: shortenedLines(fault.text) }))
    const further = faults.length > shown.length ? [`${file}: and ${faults.length - shown.length} more`] : []
    super([...shown.map((fault) => `${fault.file ?? file}:${fault.line}: ${fault.text}`), ...further].join('\n'))
    this.faults = shown
  }
}

const maxFaults = 100

/** Sorts by file and line. Faults of the config file itself come first. */
export function sortedFaults(faults: readonly Fault[]): readonly Fault[] {
  return faults.toSorted((a, b) => compareText(a.file ?? '', b.file ?? '') || a.line - b.line)
}

/** A fault that many checks inherit is reported once. */
export function distinct(faults: readonly Fault[]): readonly Fault[] {
  const seen = new Map(faults.map((fault) => [JSON.stringify([fault.file, fault.line, fault.text]), fault]))
  return [...seen.values()]
}

/** A path in the usual notation: `accounts[0].checks[2].frequency`. */
export function pathText(path: Path): string {
  const text = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${shortened(step)}`)).join('')
  return text.startsWith('.') ? text.slice(1) : text || 'the file'
}

export function must(path: Path, expected: string): Finding {
  return { path, at: 'value', text: `${pathText(path)} must be ${expected}` }
}

/** If an included file cannot be read, checks that seem unknown may be in it. */
export function withoutUnknowable(findings: readonly Finding[], isIncomplete: boolean): readonly Finding[] {
  return isIncomplete ? findings.filter(({ isUnknownCheck }) => !isUnknownCheck) : findings
}
