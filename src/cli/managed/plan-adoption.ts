import type { ConfigFolder } from '../../catalogue/config-file/config-folder.ts'
import { type CheckEntryPath, checkEntries, withoutEntries } from '../../catalogue/config-file/edit-checks.ts'
import { ConfigFaults } from '../../catalogue/config-file/faults.ts'
import { type Config, parseConfig } from '../../catalogue/config-file/parse.ts'
import type { CheckDefinition } from '../../catalogue/definitions.ts'
import type { Env } from '../../config.ts'
import { CommandFailure } from '../context.ts'

/** The new text of a file; `file` is null for the config file itself. */
type FileEdit = { readonly file: string | null; readonly before: string; readonly after: string }

export type Adoption = {
  readonly checks: readonly CheckDefinition[]
  /** Unselected checks from the same `forEach` as a selected one. */
  readonly along: readonly string[]
  /** Ids that no file has. */
  readonly missing: readonly string[]
  /** Ordered so that the files stay valid after every step. */
  readonly edits: readonly FileEdit[]
}

type AdoptionOrder = {
  readonly name: string
  readonly text: string
  readonly env: Env
  /** Opens a new folder for each parse, because a folder counts its reads. */
  readonly openFolder: () => ConfigFolder
  readonly account: string
  /** Null means all checks of the account. */
  readonly ids: readonly string[] | null
}

/** Plans which checks move, and the files without them. Throws if the edit would change the meaning of anything else. */
export function planAdoption({ name, text, env, openFolder, account, ids }: AdoptionOrder): Adoption {
  const parse = (main: string, folder: ConfigFolder): Config => {
    const parsed = parseConfig(main, env, { folder })
    const faults = 'faults' in parsed ? parsed.faults : parsed.config.refused
    if ('faults' in parsed || faults.length > 0) throw new ConfigFaults(name, faults)
    return parsed.config
  }
  const { checks } = parse(text, openFolder())
  const entries = chosenEntries(checkEntries(text, env, openFolder()), account, ids)
  const moved = new Set(entries.flatMap((entry) => entry.checks.map(({ id }) => id)))
  const files = openFolder()
  const edits = filesInOrder(
    entries,
    checks.filter((check) => check.account === account),
  ).map((file) => {
    const before = file === null ? text : files.includedText(file)
    const paths = entries.filter((entry) => entry.file === file).map(({ path }) => path)
    return { file, before, after: cut(file ?? name, before, paths) }
  })
  const rest = attempt(() => {
    const after = new Map(edits.map((edit) => [edit.file, edit.after]))
    const folder = openFolder()
    return parse(after.get(null) ?? text, { ...folder, includedText: (file) => after.get(file) ?? folder.includedText(file) })
  })
  const isMoved = (check: CheckDefinition) => check.account === account && moved.has(check.id)
  const kept = checks.filter((check) => !isMoved(check))
  if (JSON.stringify(kept.map(identityOf)) !== JSON.stringify(rest.checks.map(identityOf)))
    throw new CommandFailure('Other checks use parts of these by alias. Replace the aliases first.')
  const named = new Set(ids ?? [...moved])
  return {
    checks: checks.filter(isMoved),
    along: [...moved].filter((id) => !named.has(id)),
    missing: [...named].filter((id) => !moved.has(id)),
    edits,
  }
}

const identityOf = ({ account, id, fingerprint }: CheckDefinition) => [account, id, fingerprint]

function chosenEntries(entries: readonly CheckEntryPath[], account: string, ids: readonly string[] | null): readonly CheckEntryPath[] {
  const wanted = ids && new Set(ids)
  const chosen = entries.filter(({ checks }) => checks.some((check) => check.account === account && (wanted?.has(check.id) ?? true)))
  const shared = chosen.find(({ checks }) => checks.some((check) => check.account !== account))
  if (shared)
    throw new CommandFailure(
      `${shared.file ?? 'The config file'} has checks for several accounts, such as ${shared.checks[0]?.id}. Use one file per account first.`,
    )
  return chosen
}

function cut(file: string, text: string, paths: Parameters<typeof withoutEntries>[1]): string {
  try {
    return withoutEntries(text, paths)
  } catch (error) {
    // The YAML library throws if an alias loses its anchor.
    if (!(error instanceof RangeError || error instanceof ReferenceError)) throw error
    throw new CommandFailure(`Cannot remove checks from ${file}: they contain or are referenced by aliases. Replace the aliases first.`)
  }
}

function attempt(parse: () => Config): Config {
  try {
    return parse()
  } catch (error) {
    if (!(error instanceof ConfigFaults)) throw error
    throw new CommandFailure(`Without these checks, the file would be invalid. Refer to checks by tag there.\n${error.message}`)
  }
}

/** Dependents first: a file whose checks depend on missing ones is rejected as a whole. */
function filesInOrder(entries: readonly CheckEntryPath[], checks: readonly CheckDefinition[]): readonly (string | null)[] {
  const fileOf = new Map(entries.flatMap(({ file, checks: made }) => made.map(({ id }) => [id, file] as const)))
  const after = new Map<string | null, Set<string | null>>([...fileOf.values()].map((file) => [file, new Set()]))
  for (const { id, dependsOn } of checks)
    for (const other of dependsOn) {
      const [own, needed] = [fileOf.get(id), fileOf.get(other)]
      if (own !== undefined && needed !== undefined && own !== needed) after.get(needed)?.add(own)
    }
  const ordered: (string | null)[] = []
  while (after.size > 0) {
    const next = [...after].find(([, earlier]) => [...earlier].every((file) => !after.has(file)))
    if (!next) throw new CommandFailure('Checks of several files depend on each other, so they cannot be moved together. Move fewer.')
    after.delete(next[0])
    ordered.push(next[0])
  }
  return ordered
}
