import { basename, dirname, resolve } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Rhythm } from '../calendar/rhythm.ts'
import type { CheckType } from '../checks/define.ts'
import type { Env } from '../config.ts'
import { checkKey } from '../ids/check-ref.ts'
import { buildCatalogue, type Lifetime } from './build.ts'
import { type Catalogue, refOf } from './catalogue.ts'
import { changeText } from './config-file/change-text.ts'
import { openConfigFolder } from './config-file/config-folder.ts'
import { readConfigText, UnreadableConfig } from './config-file/config-text.ts'
import { ConfigFaults } from './config-file/faults.ts'
import { locateChecks, type PlacedCheck } from './config-file/locate-checks.ts'
import { type Config, type ParsedConfig, type ParseOptions, parseConfig, parseKeys } from './config-file/parse.ts'
import type { LocateChecks, ParseChanged } from './config-file/parse-in-thread.ts'
import { createRefusalLog, withPrevious } from './config-file/refused-files.ts'
import { signature, watchFile } from './config-file/watch-file.ts'
import type { WatchedPath } from './config-file/watched-paths.ts'
import type { CheckDefinition } from './definitions.ts'
import { type Inventory, parseInventory } from './inventory.ts'
import { createInactiveLog } from './managed/inactive-locations.ts'
import { createOverlay, type ManagedChange } from './managed/overlay.ts'
import type { ResourceChange, Resources } from './managed/resources.ts'
import { type AccountPolicies, parsePolicies } from './policies/parse-policies.ts'
import { rhythmOf } from './rhythm.ts'

type CatalogueOptions = {
  readonly file: string
  readonly env: Env
  /** Records new and changed checks, and returns when each was created and last changed. */
  readonly recordDefinitions: (checks: readonly CheckDefined[], now: number) => Promise<readonly Lifetime[]>
  readonly now: () => number
  readonly log: { info(message: string): void; error(message: string): void }
  readonly checkTypes?: readonly CheckType[]
  /** The file as already read, to avoid parsing it twice. */
  readonly first?: ReadFile
  /** Parses a changed file; default: in this thread. */
  readonly parseChanged?: ParseChanged
  /** Finds where the file defines its checks; default: in this thread. */
  readonly locate?: LocateChecks
  readonly pollMs?: number
}

export type CheckDefined = { readonly account: string; readonly checkId: string; readonly fingerprint: string; readonly rhythm: Rhythm }

/** The contents of the file, and its signature before it was read. */
type ReadFile = { readonly config: Config; readonly signature: string }

export type OpenCatalogue = {
  readonly fileName: string
  /** Always reflects the newest valid file. */
  readonly catalogue: Catalogue
  /** Calls the listener after each change; returns an unsubscribe function. */
  onChange(listener: (catalogue: Catalogue) => void): () => void
  /** Applies changes of managed checks. They are visible at once; listeners are notified soon. */
  applyManaged(changed: readonly ManagedChange[]): void
  /** Like `applyManaged`, for other managed resources. */
  applyResources(changed: readonly ResourceChange[]): void
  readonly resources: Resources
  /** Where the config file defines a check; null if it does not. */
  definedAt(account: string, id: string): Promise<PlacedCheck | null>
  /** Applies a change of the file now. */
  poll(): Promise<void>
  close(): Promise<void>
}

/** Changes of managed checks are batched, because listeners scan all checks. */
const notifyDelayMs = 300

/** Reads and validates the file and its included files; throws `ConfigFaults` with all faults. */
export async function readConfig(file: string, env: Env, options: ParseOptions = {}): Promise<Config> {
  const config = await readLenient(file, env, options)
  if (config.refused.length > 0) throw new ConfigFaults(basename(file), config.refused)
  return config
}

/** Like `readConfig`, but leaves out checks of included files with faults. */
async function readLenient(file: string, env: Env, options: ParseOptions = {}): Promise<Config> {
  const text = await readConfigText(file)
  return validConfig(file, parseConfig(text, env, { folder: folderOf(file), ...options }))
}

const folderOf = (file: string) => openConfigFolder(dirname(resolve(file)))

/** Reads the file before its catalogue is opened. Leaves out checks of included files with faults. */
export async function readForCatalogue({
  file,
  env,
  checkTypes,
}: Pick<CatalogueOptions, 'file' | 'env' | 'checkTypes'>): Promise<ReadFile> {
  const seen = await signature(file)
  return { config: await readLenient(file, env, { checkTypes }), signature: seen }
}

function validConfig(file: string, parsed: ParsedConfig): Config {
  if ('faults' in parsed) throw new ConfigFaults(basename(file), parsed.faults)
  return parsed.config
}

/** Reads only the accounts, keys and links. Ignores faults in checks. */
export async function readKeys(file: string): Promise<KeysOfFile> {
  return keysIn(file, await readConfigText(file))
}

type KeysOfFile = Pick<Config, 'accounts' | 'keys' | 'links'>

/** Like `readKeys`, from the text of the file. */
export function keysIn(file: string, text: string): KeysOfFile {
  const parsed = parseKeys(text)
  if ('faults' in parsed) throw new ConfigFaults(basename(file), parsed.faults)
  return parsed.keys
}

/** Lists accounts and checks only; secrets need not be set. */
export async function readInventory(file: string, env: Env): Promise<Inventory> {
  const parsed = parseInventory(await readConfigText(file), env, { folder: folderOf(file) })
  if ('faults' in parsed) throw new ConfigFaults(basename(file), parsed.faults)
  return parsed
}

/** Reads only the accounts and their policies. Ignores faults in checks. */
export async function readPolicies(file: string, env: Env): Promise<readonly AccountPolicies[]> {
  return policiesIn(file, await readConfigText(file), env)
}

/** Like `readPolicies`, from the text of the file. */
export function policiesIn(file: string, text: string, env: Env): readonly AccountPolicies[] {
  const parsed = parsePolicies(text, env, { folder: folderOf(file) })
  if ('faults' in parsed) throw new ConfigFaults(basename(file), parsed.faults)
  return parsed.accounts
}

/**
 * Reads the file, and watches it and its included files. A valid change is applied, an invalid one is logged and ignored. Checks of an
 * included file with faults stay as they were.
 */
export async function openCatalogue(options: CatalogueOptions): Promise<OpenCatalogue> {
  const { file, env, log, checkTypes, pollMs = 250 } = options
  const folder = dirname(resolve(file))
  const parseChanged = options.parseChanged ?? (async (text) => parseConfig(text, env, { checkTypes, folder: openConfigFolder(folder) }))
  const name = basename(file)
  const listeners = new Set<(catalogue: Catalogue) => void>()
  const first = options.first ?? (await readForCatalogue(options))
  const load = createLoader(options)
  const logRefused = createRefusalLog(log)
  let config = first.config
  const overlay = createOverlay(env)
  const logInactive = createInactiveLog(log)
  let current = await load(config)
  let merged = overlay.over(current, config.keys)
  let notifying: Promise<void> = Promise.resolve()
  let pending: NodeJS.Timeout | null = null
  let places: Promise<ReadonlyMap<string, PlacedCheck>> | null = null
  let lastLogged = ''
  let watched = config.watched
  let loggedError = ''
  logRefused(config)

  async function changed(): Promise<boolean> {
    const previous = { catalogue: current, config }
    let seen: readonly WatchedPath[] = []
    try {
      const parsed = await parseChanged(await readConfigText(file), env, folder)
      seen = ('faults' in parsed ? parsed.watched : parsed.config.watched) ?? []
      const next = withPrevious(validConfig(file, parsed), config)
      const loaded = await load(next)
      const following = overlay.over(loaded, next.keys)
      // Builds the list in its own turn of the event loop.
      following.allChecks()
      await nextTurn()
      config = next
      current = loaded
      merged = following
      places = null
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      if (message !== loggedError) log.error(`${name} ${reloadFailure(error)}; the previous configuration stays active.\n${message}`)
      loggedError = message
      if (isFaulty(error)) watched = seen
      return isFaulty(error)
    }
    watched = seen
    loggedError = ''
    logRefused(config)
    await nextTurn()
    log.info(`${name} was reloaded: ${changeText(previous, { catalogue: current, config })}.`)
    await nextTurn()
    await notify()
    return true
  }

  async function placesOf(): Promise<ReadonlyMap<string, PlacedCheck>> {
    const text = await readConfigText(file)
    const found = await (options.locate ?? (async (...args) => locateChecks(...args, checkTypes)))(text, env, folder)
    return new Map(found.map((place) => [checkKey(refOf(place)), place]))
  }

  async function definedAt(account: string, id: string): Promise<PlacedCheck | null> {
    if (!current.check(account, id)) return null
    places ??= placesOf()
    const found = await places.catch(() => null)
    if (found === null) places = null
    return found?.get(checkKey({ account, checkId: id })) ?? { account, id, file: null, line: null }
  }

  /** Logs checks of the file that are hidden by a managed check of the same id. */
  async function logShadowed(): Promise<void> {
    const shadowed = current.allChecks().filter(({ account, id }) => overlay.has(account, id))
    const text = shadowed.map(({ account, id }) => `${account}/${id}`).join(', ')
    if (text === lastLogged) return
    lastLogged = text
    for (const { account, id } of shadowed.slice(0, maxLogged)) {
      const place = await definedAt(account, id)
      log.error(
        `${place?.file ?? name}${place?.line ? `:${place.line}` : ''}: the check ${id} of ${account} is managed over the API, so this entry is ignored. Remove it, or delete the managed one.`,
      )
    }
    if (shadowed.length > maxLogged) log.error(`${name}: and ${shadowed.length - maxLogged} more.`)
  }

  /** Runs one at a time, because listeners scan all checks. */
  function notify(): Promise<void> {
    notifying = notifying.then(async () => {
      // Builds the list in its own turn of the event loop.
      merged.allChecks()
      for (const listener of listeners) {
        await nextTurn()
        listener(merged)
      }
      await nextTurn()
      await logShadowed()
      logInactive(merged, overlay.resources)
    })
    return notifying
  }

  function notifySoon(): void {
    pending ??= setTimeout(() => {
      pending = null
      void notify()
    }, notifyDelayMs).unref()
  }

  function applyManaged(changed: readonly ManagedChange[]): void {
    overlay.apply(changed)
    notifySoon()
  }

  function applyResources(changed: readonly ResourceChange[]): void {
    overlay.applyResources(changed)
    notifySoon()
  }

  const { poll, close } = watchFile(file, { seen: first.signature, pollMs, others: () => watched, changed })
  return {
    fileName: name,
    catalogue: delegating(() => merged),
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    applyManaged,
    applyResources,
    resources: overlay.resources,
    definedAt,
    async poll() {
      await poll()
      await poll()
    },
    async close() {
      if (pending) clearTimeout(pending)
      await close()
      await notifying
    },
  }
}

const maxLogged = 20

/** Faults of a file are final until it changes. Other failures are retried at every poll. */
const isFaulty = (error: unknown) => error instanceof ConfigFaults && !(error instanceof UnreadableConfig)

function reloadFailure(error: unknown): string {
  if (isFaulty(error)) return 'has changed but is invalid'
  if (error instanceof UnreadableConfig) return 'has changed but cannot be read; retrying'
  return 'has changed and is valid, but cannot be applied now; retrying'
}

/** Records only checks that the previous catalogue did not have. */
function createLoader({ recordDefinitions, now }: CatalogueOptions): (config: Config) => Promise<Catalogue> {
  let known: ReadonlyMap<string, Lifetime> = new Map()
  return async (config) => {
    const unknown = config.checks.filter(({ fingerprint }) => !known.has(fingerprint))
    const recorded = unknown.length === 0 ? [] : await recordDefinitions(unknown.map(definedBy), now())
    const added = new Map(unknown.map(({ fingerprint }, index) => [fingerprint, recorded[index] ?? neverSeen]))
    const lifetimes = config.checks.map(({ fingerprint }) => added.get(fingerprint) ?? known.get(fingerprint) ?? neverSeen)
    known = new Map(config.checks.map(({ fingerprint }, index) => [fingerprint, lifetimes[index] ?? neverSeen]))
    await nextTurn()
    const catalogue = buildCatalogue(config, lifetimes)
    await nextTurn()
    return catalogue
  }
}

const neverSeen: Lifetime = { createdAt: 0, updatedAt: 0 }

export function definedBy(check: CheckDefinition): CheckDefined {
  const { account, id: checkId, fingerprint } = check
  return { account, checkId, fingerprint, rhythm: rhythmOf(check) }
}

function delegating(current: () => Catalogue): Catalogue {
  return {
    account: (id) => current().account(id),
    keyByHash: (hash) => current().keyByHash(hash),
    link: (id) => current().link(id),
    hasScope: (scope) => current().hasScope(scope),
    agentLocations: (account) => current().agentLocations(account),
    managedLocations: (account) => current().managedLocations(account),
    check: (account, id) => current().check(account, id),
    checks: (account) => current().checks(account),
    allChecks: () => current().allChecks(),
    accountsWithChecks: () => current().accountsWithChecks(),
    dependents: (account, id) => current().dependents(account, id),
    checkByPingToken: (hash) => current().checkByPingToken(hash),
    accountByPingKey: (hash) => current().accountByPingKey(hash),
    policies: (account) => current().policies(account),
    service: () => current().service(),
  }
}
