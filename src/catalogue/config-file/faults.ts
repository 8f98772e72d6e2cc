import { shortened, shortenedLines } from '../../text/shortened.ts'

export type Path = readonly (string | number)[]

/** A problem at a path in the file; `at` says whether it concerns the name or its value. */
export type Finding = { readonly path: Path; readonly at: 'name' | 'value'; readonly text: string }

/** A problem in the file, with its line and an actionable message. */
export type Fault = { readonly line: number; readonly text: string }

export class ConfigFaults extends Error {
  override readonly name = 'ConfigFaults'
  readonly faults: readonly Fault[]

  /** Shows the first faults, without the middle of long ones: secrets are redacted by now. */
  constructor(file: string, faults: readonly Fault[]) {
    const shown = faults.slice(0, maxFaults).map(({ line, text }) => ({ line, text: shortenedLines(text) }))
    const further = faults.length > shown.length ? [`${file}: and ${faults.length - shown.length} more`] : []
    super([...shown.map(({ line, text }) => `${file}:${line}: ${text}`), ...further].join('\n'))
    this.faults = shown
  }
}

const maxFaults = 100

/** A path in the usual notation: `accounts[0].checks[2].frequency`. */
export function pathText(path: Path): string {
  const text = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${shortened(step)}`)).join('')
  return text.startsWith('.') ? text.slice(1) : text || 'the file'
}

export function must(path: Path, expected: string): Finding {
  return { path, at: 'value', text: `${pathText(path)} must be ${expected}` }
}
