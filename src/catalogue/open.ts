import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import type { CheckType } from '../checks/define.ts'
import type { Env } from '../config.ts'
import { buildCatalogue, type Lifetime } from './build.ts'
import type { Catalogue } from './catalogue.ts'
import { ConfigFaults } from './faults.ts'
import { type Config, parseConfig, parseKeys } from './parse.ts'
import { signature, watchFile } from './watch-file.ts'

type CatalogueOptions = {
  readonly file: string
  readonly env: Env
  /** Tells how long each of these checks has been known, and remembers those that are new. */
  readonly acquaint: (checks: readonly KnownCheck[], now: number) => Promise<readonly Lifetime[]>
  readonly now: () => number
  readonly log: { info(message: string): void; error(message: string): void }
  readonly checkTypes?: readonly CheckType[]
  /** How often the file is looked at. */
  readonly pollMs?: number
}

type KnownCheck = { readonly account: string; readonly checkId: string; readonly fingerprint: string }

export type OpenCatalogue = {
  /** Always what the newest faultless file says. */
  readonly catalogue: Catalogue
  /** Calls the listener after each change; returns what stops that. */
  onChange(listener: (catalogue: Catalogue) => void): () => void
  /** Looks at the file now, not only at the next poll. */
  look(): Promise<void>
  close(): Promise<void>
}

/** What the file says; throws `ConfigFaults` with everything that is wrong in it. */
export async function readConfig(file: string, env: Env, checkTypes?: readonly CheckType[]): Promise<Config> {
  const parsed = parseConfig(await readText(file), env, checkTypes)
  if ('faults' in parsed) throw new ConfigFaults(basename(file), parsed.faults)
  return parsed.config
}

/** The accounts and keys of the file, whatever it says of checks. */
export async function readKeys(file: string): Promise<Pick<Config, 'accounts' | 'keys'>> {
  const parsed = parseKeys(await readText(file))
  if ('faults' in parsed) throw new ConfigFaults(basename(file), parsed.faults)
  return parsed.keys
}

/** Reads the file and follows it: a change without faults is in force at once, one with faults is logged and changes nothing. */
export async function openCatalogue(options: CatalogueOptions): Promise<OpenCatalogue> {
  const { file, log, pollMs = 500 } = options
  const name = basename(file)
  const listeners = new Set<(catalogue: Catalogue) => void>()
  const seen = await signature(file)
  let current = await load(options)
  let complaint = ''

  async function changed(): Promise<boolean> {
    try {
      current = await load(options)
    } catch (error) {
      const words = error instanceof Error ? error.message : String(error)
      if (words !== complaint) log.error(`${name} has changed but is not taken over; what was in force stays so.\n${words}`)
      complaint = words
      return error instanceof ConfigFaults
    }
    complaint = ''
    log.info(`${name} has changed and is in force: ${current.allChecks().length} checks.`)
    for (const listener of listeners) listener(current)
    return true
  }

  const { look, close } = watchFile(file, { seen, pollMs, changed })
  return {
    catalogue: following(() => current),
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    look,
    close,
  }
}

async function load({ file, env, checkTypes, acquaint, now }: CatalogueOptions): Promise<Catalogue> {
  const config = await readConfig(file, env, checkTypes)
  const known = config.checks.map(({ account, id, fingerprint }) => ({ account, checkId: id, fingerprint }))
  return buildCatalogue(config, await acquaint(known, now()))
}

async function readText(file: string): Promise<string> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(file))
  } catch (error) {
    throw new ConfigFaults(basename(file), [{ line: 1, text: reason(error) }])
  }
}

function reason(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ENOENT') return 'there is no such file: write one, name another with --config, or look around first with tidemark demo'
  return `the file cannot be read (${code === 'ERR_ENCODING_INVALID_ENCODED_DATA' ? 'it is not UTF-8' : (code ?? String(error))})`
}

function following(current: () => Catalogue): Catalogue {
  return {
    account: (id) => current().account(id),
    keyByHash: (hash) => current().keyByHash(hash),
    check: (account, id) => current().check(account, id),
    checks: (account) => current().checks(account),
    allChecks: () => current().allChecks(),
    checkByPingToken: (hash) => current().checkByPingToken(hash),
    service: () => current().service(),
  }
}
