import type { CheckType } from '../../checks/define.ts'
import { redactor } from '../../checks/probe/redact.ts'
import { checkTypes as registry } from '../../checks/registry.ts'
import { isMapping } from '../../collections/mapping.ts'
import type { Env } from '../../config.ts'
import type { CheckOrigin } from '../catalogue.ts'
import { type Substitution, secretTexts } from '../secrets.ts'
import { compose } from './compose.ts'
import { type ConfigFolder, FileFault, noFolder } from './config-folder.ts'
import type { ExpandedCheck } from './expand-checks.ts'
import { faultLines } from './fault-lines.ts'
import { distinct, type Fault, type Finding, type Path } from './faults.ts'
import { refersToEach } from './for-each.ts'
import type { SourcePath } from './inherit.ts'
import { interpolate, noVariables, type Variables } from './interpolate.ts'
import type { WatchedPath } from './watched-paths.ts'
import { openYamlSource, withoutExtensions } from './yaml-source.ts'

/** A parsed config file with its included files: its value, and the line of each part. */
export type ParsedFile = {
  /** With all checks in `accounts[].checks`. */
  readonly value: unknown
  readonly faults: readonly Fault[]
  /** The finding with its file and line, and with values of variables redacted. */
  locate(finding: Finding): Fault
  /** Faults of unset variables in the text at a path. */
  unset(path: Path): readonly Fault[]
  /** The variables that a part of the file refers to. */
  substitutions(path: Path): readonly Substitution[]
  /** A part of the file before variables are replaced. */
  written(path: Path): unknown
  originOf(account: number, check: number): CheckOrigin
  /** The entry that defines a check. An entry with `forEach` defines several. */
  entryOf(account: number, check: number): SourcePath
  /** Whether an included file cannot be read, so that its checks are unknown. */
  readonly isIncomplete: boolean
  /** Files and folders that were read, in addition to the config file. */
  readonly watched: readonly WatchedPath[]
}

export type SourceOptions = { readonly folder?: ConfigFolder | undefined; readonly checkTypes?: readonly CheckType[] | undefined }

/**
 * Parses YAML or JSON, expands included files, groups and `forEach`, and replaces `${NAME}` by the environment variable in every text.
 * `$${NAME}` is an escaped `${NAME}`.
 */
export function readSource(text: string, env: Env, { folder = noFolder, checkTypes = registry }: SourceOptions = {}): ParsedFile {
  const main = openYamlSource(text)
  if ('faults' in main.read) return unreadable(main.read.faults)
  const raw = withoutExtensions(main.read.value)
  const variables: Variables = { env, fileText: fileTexts(raw, folder) }
  const composed = compose(raw, { folder, variables, checkTypes, usesEach: refersToEach(text) })
  const hasVariables = [main, ...composed.included.sources.values()].some((source) => source.hasVariables)
  const replaced = (part: unknown, path: Path) => (hasVariables ? interpolate(part, variables, path) : { value: part, ...noVariables })
  const { value, missing, substituted } = replaced(composed.value, [])
  const variablesAt = (path: Path) => replaced(partAt(composed.value, path), path)
  const redact = redactor(secretTexts(substituted))
  const lines = faultLines(main, composed)
  const locate = (finding: Finding) => lines.located({ ...finding, text: redact(finding.text) })
  const unsetFault = ({ path, text: words }: { readonly path: Path; readonly text: string }) => locate({ path, at: 'value', text: words })
  const { faults: ofIncluded } = composed.included
  return {
    value,
    faults: distinct([
      ...ofIncluded,
      ...composed.found.map(({ file, finding }) => lines.inFile(file, finding)),
      ...missing.map(unsetFault),
    ]),
    unset: (path) => variablesAt(path).missing.map(unsetFault),
    locate,
    substitutions: (path) => variablesAt(path).substituted,
    written: (path) => partAt(composed.value, path),
    originOf: (account, check) => originOf(composed.expanded?.[account]?.[check]),
    entryOf: (account, check) => composed.expanded?.[account]?.[check]?.place ?? plainEntry(account, check),
    isIncomplete: ofIncluded.length > 0,
    watched: folder.watched(),
  }
}

function unreadable(faults: readonly Fault[]): ParsedFile {
  return {
    value: null,
    faults,
    locate: ({ text }) => ({ line: 1, text }),
    unset: () => [],
    substitutions: () => [],
    written: () => null,
    originOf: () => originOf(undefined),
    entryOf: plainEntry,
    isIncomplete: false,
    watched: [],
  }
}

const originOf = (expanded: ExpandedCheck | undefined): CheckOrigin => ({
  file: expanded?.place.file ?? null,
  group: expanded?.group ?? null,
})

const plainEntry = (account: number, check: number): SourcePath => ({ file: null, path: ['accounts', account, 'checks', check] })

export function partAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((part, step) => (part as Record<Path[number], unknown> | null | undefined)?.[step], value)
}

/** Limits the characters that files add to texts in total: a small file can be referred to any number of times. */
const maxFileCharacters = 64 * 1024 * 1024

function fileTexts(raw: unknown, folder: ConfigFolder): Variables['fileText'] {
  const given = isMapping(raw) && Array.isArray(raw.secretFolders) ? raw.secretFolders : []
  const folders = given.filter((path): path is string => typeof path === 'string')
  let characters = 0
  return (path) => {
    const text = folder.secretText(path, folders)
    characters += text.length
    if (characters > maxFileCharacters) throw new FileFault('files add more than 64 Mi characters to this configuration')
    return text
  }
}
