import type { AddressInfo } from 'node:net'
import { availableParallelism } from 'node:os'
import { dirname, resolve } from 'node:path'
import { openReplayThread } from '../alerts/replay/replay-in-thread.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { openConfigParser } from '../catalogue/config-file/parse-in-thread.ts'
import { type OpenCatalogue, openCatalogue, readForCatalogue } from '../catalogue/open.ts'
import type { Probe, ProbeContext } from '../checks/probe/probe.ts'
import { openProbeThreads } from '../checks/probe/probe-threads.ts'
import { buildApp } from '../http/app.ts'
import type { Deps } from '../http/route.ts'
import { type Cardinality, createCardinality } from '../ingest/cardinality.ts'
import { openEvidenceThread } from '../ingest/decode-in-thread.ts'
import { createAgentRegistry } from '../locations/agent-registry.ts'
import { openUploadThread } from '../managed/deploy/read-uploads.ts'
import { createManagedChecks } from '../managed/managed-checks.ts'
import { systemClock } from '../runner/clock.ts'
import { concurrencyLimits } from '../runner/concurrency.ts'
import { openOutboxFile } from '../runner/outbox-file.ts'
import { watchLocations } from '../runner/run-log.ts'
import { type RunnerOptions, startRunner } from '../runner/runner.ts'
import { createTrialRuns } from '../runner/trial-runs.ts'
import { watchEventLoop } from '../stats/instruments.ts'
import { createServerStats, type ServerStats } from '../stats/server-stats.ts'
import type { ClickHouseServer } from '../store/clickhouse/clickhouse-store.ts'
import { DatabaseError } from '../store/clickhouse/server-errors.ts'
import type { Migration } from '../store/embedded/disk/database.ts'
import { DataFolderError } from '../store/embedded/disk/errors.ts'
import { type OpenStore, openClickHouse, openStore } from '../store/open.ts'
import { StoreUnavailable } from '../store/store.ts'
import type { LostThread } from '../threads/thread.ts'
import { openAlerts } from './alerts.ts'
import { startRetention } from './commands/retention.ts'
import { CommandFailure, type Context } from './context.ts'
import { machine } from './machine.ts'
import { clickHouseServer } from './remote/clickhouse-server.ts'
import { openVault } from './secret-key.ts'
import { type ServerLog as Log, openLog } from './terminal/log.ts'
import { version } from './version.ts'

type ServerOptions = {
  readonly configFile: string
  readonly dataDir: string
  readonly host: string
  readonly port: number
  readonly basePath: string
  /** Whether this process runs checks. */
  readonly runner: boolean
  /** Whether the command stores the results of checks itself, so that no runner is needed. */
  readonly simulates?: boolean
  /** Whether a missed ping is stored as a failing result. */
  readonly deadlines: boolean
  /** Whether this process may send alerts. If processes share a database, only one of these sends at a time. */
  readonly alerts: boolean
  /** Exchanges the page's one-time code for credentials. */
  readonly signIn?: Deps['signIn']
}

export type Server = {
  readonly url: string
  readonly catalogue: Catalogue
  readonly store: OpenStore
  readonly log: Log
  readonly probe: Probe
  readonly onChange: OpenCatalogue['onChange']
  /** Waits for pending requests and runs, then releases all resources. */
  close(): Promise<void>
}

/** Starts store, API and runner. Starts nothing if the config file has a fault. */
export async function startServer(context: Context, options: ServerOptions): Promise<Server> {
  const closers: (() => Promise<void>)[] = []
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer()
  }
  try {
    return { ...(await openAll(context, options, (closer) => closers.push(closer))), close }
  } catch (error) {
    await close()
    throw error instanceof StoreUnavailable ? startFailure(error) : error
  }
}

function startFailure({ message }: StoreUnavailable): CommandFailure {
  return new CommandFailure(`${message} ${/full|quota/.test(message) ? 'Free some space on that disk' : 'Fix this'}, and start again.`)
}

async function openAll(
  context: Context,
  options: ServerOptions,
  toClose: (closer: () => Promise<void>) => void,
): Promise<Omit<Server, 'close'>> {
  const log = openLog(context)
  const stats = createServerStats()
  const { configFile: file } = options
  const { env, now } = context
  const first = await readForCatalogue({ file, env })
  const vault = await openVault(context.settings)
  const clickHouse = await clickHouseServer(context.settings, first.config.service.clickhouse, dirname(resolve(file)))
  const store = await openResults(context, options, { log, stats: stats.store, clickHouse })
  toClose(() => store.close())
  const retention = startRetention({ store, clock: systemClock, log })
  toClose(async () => retention.close())
  retention.set(first.config.service)
  const onLost = reportLost(log, stats)
  const parser = openConfigParser(first.config.checks, { onLost: (lost) => onLost('parser', lost) })
  toClose(parser.close)
  const { recordDefinitions } = store
  const opened = await openCatalogue({ file, env, now, log, first, recordDefinitions, parseChanged: parser.parse, locate: parser.locate })
  toClose(() => opened.close())
  const managed = await createManagedChecks({ documents: store.documents, opened, env, vault, now, log, recordDefinitions })
  toClose(managed.close)
  const { catalogue } = opened
  opened.onChange(() => retention.set(catalogue.service()))
  const cardinality = createCardinality({ store, limits: () => catalogue.service().limits })
  const evidence = openEvidenceThread(log, { onLost: (lost) => onLost('decoder', lost) })
  toClose(evidence.close)
  const uploads = openUploadThread({ onLost: (lost) => onLost('uploads', lost) })
  toClose(uploads.close)
  const address = { url: null as string | null }
  const agents = createAgentRegistry({ catalogue, now: systemClock.now, log, configFile: file })
  const runsHere = (location: string) => options.runner && runsLocation(context, catalogue, { location, isShared: clickHouse !== null })
  const alerts = options.alerts
    ? await openAlerts({
        directory: options.dataDir,
        server: clickHouse,
        catalogue,
        store,
        log,
        now,
        onConfigChange: opened.onChange,
        publicUrl: () => catalogue.service().publicUrl ?? address.url,
        onLost: (lost) => onLost('alerts', lost),
        agents,
        runsHere,
      })
    : null
  toClose(async () => alerts?.close())
  const replays = openReplayThread(
    { directory: options.dataDir, ...(clickHouse && { server: clickHouse }) },
    { onLost: (lost) => onLost('replay', lost) },
  )
  toClose(replays.close)
  const { probe, close: closeProbes } = openProbeThreads(probeContext(context, options), { onLost })
  toClose(closeProbes)
  const app = await buildApp({
    trials: options.runner ? { run: createTrialRuns({ catalogue, clock: systemClock, log, probe }), env } : null,
    decodeEvidence: evidence.decode,
    uploads,
    catalogue,
    cardinality,
    store,
    clock: systemClock,
    log,
    agents,
    runsHere: (location) => options.simulates === true || runsHere(location),
    basePath: options.basePath,
    stats,
    alerts,
    managed,
    replayAlerts: replays.replay,
    ...(options.signIn && { signIn: options.signIn }),
  })
  await app.listen({ host: options.host, port: options.port }).catch((error) => {
    throw listenFailure(error, options)
  })
  const url = `${urlOf(app.server.address() as AddressInfo)}${options.basePath}`
  address.url = url
  const started = {
    version: version(),
    config: options.configFile,
    data: clickHouse ? `${clickHouse.database} of ${clickHouse.url}` : options.dataDir,
    checks: catalogue.allChecks().length,
    address: url,
  }
  log.info(started, 'Tidemark has started.')
  const stopRunner = run(context, options, { opened, store, log, probe, cardinality, stats: stats.runner, isShared: clickHouse !== null })
  const stopWatching = watchEventLoop(stats.eventLoopDelay)
  toClose(async () => stopWatching())
  toClose(async () => {
    await Promise.all([app.close(), stopRunner()])
  })
  return { url, catalogue, store, log, probe, onChange: opened.onChange }
}

/** If machines boot together, the database may need a while. */
const databaseWaitMs = 60_000

type StoreParts = { readonly log: Log; readonly stats: ServerStats['store']; readonly clickHouse: ClickHouseServer | null }

async function openResults({ now }: Context, { dataDir }: ServerOptions, { log, stats, clickHouse }: StoreParts): Promise<OpenStore> {
  try {
    const workers = Math.min(4, Math.max(2, availableParallelism() - 1))
    const options = { workers, clock: now, log: (problem: unknown) => log.error(problem), stats }
    if (clickHouse) return await openClickHouse({ ...options, server: clickHouse, startWaitMs: databaseWaitMs })
    return await openStore({
      ...options,
      directory: dataDir,
      migrated: (migration) => logMigrated(log, migration),
      dropped: (days) => logDropped(log, days),
    })
  } catch (error) {
    if (error instanceof StoreUnavailable) throw error
    if (error instanceof DataFolderError || error instanceof DatabaseError) throw new CommandFailure(error.message)
    const { code } = error as NodeJS.ErrnoException
    throw code && !clickHouse
      ? new CommandFailure(`The data folder ${dataDir} cannot be used (${code}). Choose another with --data.`, 2)
      : error
  }
}

type Lost = keyof ServerStats['lostThreads']

function reportLost(log: Log, { lostThreads }: ServerStats) {
  return (thread: Lost, { message }: Pick<LostThread, 'message'>): void => {
    lostThreads[thread].add(1)
    log.error({ thread }, message)
  }
}

function logMigrated(log: Log, { from, to, ms }: Migration): void {
  const text = `The data folder was migrated from layout ${from} to ${to} in ${ms / 1000} s. An older Tidemark cannot read it any more.`
  log.info({ from, to, ms }, text)
}

function logDropped(log: Log, days: number): void {
  log.info({ days }, `Deleting results older than the retention: ${days} days, each of one check.`)
}

type RunnerParts = {
  readonly opened: OpenCatalogue
  readonly store: OpenStore
  readonly log: Log
  readonly probe: Probe
  readonly cardinality: Cardinality
  readonly stats: ServerStats['runner']
  /** If several processes can use the store, each runs only its configured locations. */
  readonly isShared: boolean
}

function probeContext({ settings: { chromium }, env }: Context, { configFile }: ServerOptions): ProbeContext {
  return { configDir: dirname(resolve(configFile)), chromium, env }
}

function run({ settings, env }: Context, { runner: runs, deadlines, dataDir }: ServerOptions, parts: RunnerParts): () => Promise<void> {
  const { opened, store, log, probe, cardinality, stats, isShared } = parts
  const { catalogue } = opened
  const { chromium } = settings
  const locations = ownLocations(settings, catalogue, isShared)
  const tasks = { runs, deadlines }
  const concurrency = concurrencyLimits(machine(), { light: settings.maxRuns, heavy: settings.maxHeavyRuns })
  const options = { catalogue, store, clock: systemClock, log, probe, chromium, env, locations, tasks, concurrency, stats }
  const onChecks = runs ? watchLocations(log, settings.locations ?? []) : () => {}
  const runner = startRunner({
    ...options,
    onChecks,
    outboxFile: openOutboxFile(dataDir),
    rejectionOf: rejectionBy(cardinality, catalogue),
  })
  const stopListening = opened.onChange(() => runner.reload())
  return async () => {
    stopListening()
    await runner.close()
  }
}

/** Null means all. If several processes share a store, each runs only its configured locations. */
function ownLocations({ locations }: Context['settings'], catalogue: Catalogue, isShared: boolean): readonly string[] | null {
  return locations ?? (isShared && catalogue.service().runnerLocations === null ? [] : null)
}

type LocationQuestion = { readonly location: string; readonly isShared: boolean }

function runsLocation({ settings }: Context, catalogue: Catalogue, { location, isShared }: LocationQuestion): boolean {
  const lists = [ownLocations(settings, catalogue, isShared), catalogue.service().runnerLocations]
  return lists.every((list) => list === null || list.includes(location))
}

/** The runner's results have the same limits as posted results. */
function rejectionBy(cardinality: Cardinality, catalogue: Catalogue): NonNullable<RunnerOptions['rejectionOf']> {
  return ({ check, result }) => {
    const checkType = catalogue.check(check.account, check.checkId)?.checkType
    return (checkType && cardinality.of(check, checkType)(result)?.message) ?? null
  }
}

function urlOf({ address, family, port }: AddressInfo): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}

function listenFailure(error: NodeJS.ErrnoException, { host, port }: ServerOptions): Error {
  if (error.code === 'EADDRINUSE')
    return new CommandFailure(`Port ${port} of ${host} is in use. Stop the process that uses it, or choose another with --port.`)
  if (error.code === 'EACCES') return new CommandFailure(`Port ${port} requires privileges. Choose one above 1023 with --port.`)
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND')
    return new CommandFailure(`${host} is not an address of this machine. Choose one with --host.`)
  return error
}
