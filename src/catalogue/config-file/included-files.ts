import { isMapping, type Mapping } from '../../collections/mapping.ts'
import { shortened } from '../../text/shortened.ts'
import { IncludedFile } from './composition-schema.ts'
import { type ConfigFolder, FileFault } from './config-folder.ts'
import { type Fault, type FoundIn, must, type Path, pathText } from './faults.ts'
import { structureFindings } from './structure.ts'
import { openYamlSource, withoutExtensions, type YamlSource } from './yaml-source.ts'

/** The contents of a file for one account, by the index of the account. */
type IncludedPart = { readonly file: string; readonly account: number; readonly contents: Mapping }

/** The contents of included files. `faults` are those of files that cannot be read at all. */
export type Included = {
  readonly parts: readonly IncludedPart[]
  readonly found: readonly FoundIn[]
  readonly faults: readonly Fault[]
  /** By file. */
  readonly sources: ReadonlyMap<string, YamlSource>
}

type IncludeContext = { readonly accounts: readonly string[]; readonly folder: ConfigFolder }

/** A pattern of `include`. `account` is null at the top level of the config file, where each file names its account. */
type Named = { readonly pattern: string; readonly path: Path; readonly account: number | null }

export function readIncluded(value: Mapping, { accounts, folder }: IncludeContext): Included {
  const parts: IncludedPart[] = []
  const found: FoundIn[] = []
  const faults: Fault[] = []
  const sources = new Map<string, YamlSource>()
  const contents = new Map<string, Mapping | null>()
  const taken = new Set<string>()

  const refuse = ({ pattern, path }: Named, file: string, { message }: FileFault) => {
    if (pattern.includes('*')) faults.push({ file, line: 1, text: message })
    else found.push({ file: null, finding: { path, at: 'value', text: `${pathText(path)}: ${message}` } })
  }
  /** Null if it cannot be read. */
  const readOnce = (file: string, named: Named): Mapping | null => {
    if (contents.has(file)) return contents.get(file) ?? null
    contents.set(file, null)
    const text = attempt(
      () => folder.includedText(file),
      (fault) => refuse(named, file, fault),
    )
    if (text === null) return null
    const source = openYamlSource(text)
    sources.set(file, source)
    if ('faults' in source.read) faults.push(...source.read.faults.map((fault) => ({ ...fault, file })))
    else
      contents.set(
        file,
        contentsOf(source.read.value, (finding) => found.push({ file, finding })),
      )
    return contents.get(file) ?? null
  }
  const take = (file: string, named: Named) => {
    const read = readOnce(file, named)
    const owner = read && ownerOf(read, named.account, accounts)
    if (!read || owner === null) return
    if (typeof owner === 'string') found.push({ file, finding: { path: ['account'], at: 'value', text: owner } })
    else if (!taken.has(`${owner} ${file}`)) parts.push({ file, account: owner, contents: read })
    taken.add(`${owner} ${file}`)
  }
  for (const named of patternsIn(value)) {
    const files = attempt(
      () => folder.matching(named.pattern),
      ({ message }) => found.push({ file: null, finding: { path: named.path, at: 'value', text: `${pathText(named.path)}: ${message}` } }),
    )
    for (const file of files ?? []) take(file, named)
  }
  return { parts, found, faults, sources }
}

function attempt<T>(read: () => T, refused: (fault: FileFault) => void): T | null {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof FileFault)) throw error
    refused(error)
    return null
  }
}

function patternsIn(value: Mapping): readonly Named[] {
  const accounts = Array.isArray(value.accounts) ? (value.accounts as readonly unknown[]) : []
  return [listed(value, [], null), ...accounts.map((account, index) => listed(account, ['accounts', index], index))].flat()
}

function listed(owner: unknown, path: Path, account: number | null): readonly Named[] {
  const patterns = isMapping(owner) && Array.isArray(owner.include) ? (owner.include as readonly unknown[]) : []
  return patterns.flatMap((pattern, index) =>
    typeof pattern === 'string' ? [{ pattern, path: [...path, 'include', index], account }] : [],
  )
}

/** An empty file has no checks. */
function contentsOf(value: unknown, say: (finding: FoundIn['finding']) => void): Mapping {
  const contents = withoutExtensions(value ?? {})
  if (!isMapping(contents)) say(must([], 'a mapping with checks, groups or defaults'))
  else if (Object.hasOwn(contents, 'include'))
    say({ path: ['include'], at: 'name', text: 'include is not allowed here: only the main config file can include others' })
  else for (const finding of structureFindings(IncludedFile, contents, [])) say(finding)
  return isMapping(contents) ? contents : {}
}

/** The index of the account of a file, or why it has none; null if the schema reports that. */
function ownerOf({ account }: Mapping, including: number | null, accounts: readonly string[]): number | string | null {
  if (account !== undefined && typeof account !== 'string') return null
  if (account === undefined) return including ?? (accounts.length === 1 ? 0 : 'account is missing: specify the account of these checks')
  const index = accounts.indexOf(account)
  if (index < 0) return `account: unknown account ${shortened(account)}`
  return including === null || including === index
    ? index
    : `account: account ${accounts[including]} includes this file, not ${shortened(account)}`
}
