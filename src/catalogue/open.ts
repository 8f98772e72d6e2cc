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
  /** What was read of the file before, so that it is not parsed twice. */
  readonly first?: ReadFile
  /** Parses a changed file; default: in this thread. */
  readonly parseChanged?: ParseChanged
  /** Finds where the file defines its checks; default: in this thread. */
  readonly locate?: LocateChecks
  /** How often the file is polled for changes. */
  readonly pollMs?: number
}

export type CheckDefined = { readonly account: string; readonly checkId: string; readonly fingerprint: string; readonly rhythm: Rhythm }

/** The contents of the file, and its signature before it was read. */
type ReadFile = { readonly config: Config; readonly signature: string }

export type OpenCatalogue = {
  /** The name of the config file. */
  readonly fileName: string
  /** Always that of the newest valid file. */
  readonly catalogue: Catalogue
  /** Calls the listener after each change; returns an unsubscribe function. */
  onChange(listener: (catalogue: Catalogue) => void): () => void
  /** Takes over checks that are managed over the API: they are found at once, and listeners are notified soon. */
  applyManaged(changed: readonly ManagedChange[]): void
  /** The same for what else is managed over the API. */
  applyResources(changed: readonly ResourceChange[]): void
  readonly resources: Resources
  /** Where the config file defines a check; null where it does not. */
  definedAt(account: string, id: string): Promise<PlacedCheck | null>
  /** Polls the file now. */
  poll(): Promise<void>
  close(): Promise<void>
}

/** How long listeners wait for further changes of managed checks: each time, they look at all checks. */
const notifyDelayMs = 300

/** Reads and validates the file and those that it includes; throws `ConfigFaults` with all of their faults. */
export async function readConfig(file: string, env: Env, options: ParseOptions = {}): Promise<Config> {
  const config = await readLenient(file, env, options)
  if (config.refused.length > 0) throw new ConfigFaults(basename(file), config.refused)
  return config
}

/** The same, but checks of included files with faults are left out. */
async function readLenient(file: string, env: Env, options: ParseOptions = {}): Promise<Config> {
  const text = await readConfigText(file)
  return validConfig(file, parseConfig(text, env, { folder: folderOf(file), ...options }))
}

const folderOf = (file: string) => openConfigFolder(dirname(resolve(file)))

/** As `readConfig`, for a catalogue that is opened later. */
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

/** Reads only the accounts, keys and links; faults in checks are ignored. */
export async function readKeys(file: string): Promise<KeysOfFile> {
  return keysIn(file, await readConfigText(file))
}

type KeysOfFile = Pick<Config, 'accounts' | 'keys' | 'links'>

/** The same from the text of the file. */
export function keysIn(file: string, text: string): KeysOfFile {
  const parsed = parseKeys(text)
  if ('faults' in parsed) throw new ConfigFaults(basename(file), parsed.faults)
  return parsed.keys
}

/** Reads only which accounts and checks there are; secrets need not be set. */
export async function readInventory(file: string, env: Env): Promise<Inventory> {
  const parsed = parseInventory(await readConfigText(file), env, { folder: folderOf(file) })
  if ('faults' in parsed) throw new ConfigFaults(basename(file), parsed.faults)
  return parsed
}

/** Reads only the accounts and their policies; faults in checks are ignored. */
export async function readPolicies(file: string, env: Env): Promise<readonly AccountPolicies[]> {
  return policiesIn(file, await readConfigText(file), env)
}

/** The same from the text of the file. */
export function policiesIn(file: string, text: string, env: Env): readonly AccountPolicies[] {
  const parsed = parsePolicies(text, env, { folder: folderOf(file) })
  if ('faults' in parsed) throw new ConfigFaults(basename(file), parsed.faults)
  return parsed.accounts
}

/**
 * Reads the file and watches it with those that it includes: a valid change is applied at once, an invalid one is logged and ignored. Where
 * an included file has faults, its checks stay as they were.
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
      // Puts the list together in a turn of its own.
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
    log.info(`${name} has changed and is active: ${changeText(previous, { catalogue: current, config })}.`)
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

  /** An id comes from one source only. */
  async function logShadowed(): Promise<void> {
    const shadowed = current.allChecks().filter(({ account, id }) => overlay.has(account, id))
    const text = shadowed.map(({ account, id }) => `${account}/${id}`).join(', ')
    if (text === lastLogged) return
    lastLogged = text
    for (const { account, id } of shadowed.slice(0, maxLogged)) {
      const place = await definedAt(account, id)
      log.error(
        `${place?.file ?? name}${place?.line ? `:${place.line}` : ''}: the check ${id} of ${account} is managed over the API, so that this entry is not applied. Remove it, or delete the managed one.`,
      )
    }
    if (shadowed.length > maxLogged) log.error(`${name}: and ${shadowed.length - maxLogged} more.`)
  }

  /** One after the other: listeners look at all checks. */
  function notify(): Promise<void> {
    notifying = notifying.then(async () => {
      // Puts the list together in a turn of its own.
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
    poll,
    async close() {
      if (pending) clearTimeout(pending)
      await close()
      await notifying
    },
  }
}

/** Lines of the log about checks that both sources have. */
const maxLogged = 20

/** Only a file with faults is done with: what fails for another reason is tried again with every poll. */
const isFaulty = (error: unknown) => error instanceof ConfigFaults && !(error instanceof UnreadableConfig)

function reloadFailure(error: unknown): string {
  if (isFaulty(error)) return 'has changed but has faults'
  if (error instanceof UnreadableConfig) return 'has changed but cannot be read; this is tried again'
  return 'has changed and has no faults, but cannot be applied now; this is tried again'
}

/** Builds catalogues; only checks that the one before did not have are recorded. */
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
