import type { AddressInfo } from 'node:net'
import { availableParallelism } from 'node:os'
import { dirname, resolve } from 'node:path'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { type OpenCatalogue, openCatalogue, readConfig } from '../catalogue/open.ts'
import { parseInThread } from '../catalogue/parse-in-thread.ts'
import type { JudgeForCheck } from '../checks/probe/judge/judge.ts'
import { openJudgePool } from '../checks/probe/judge/judge-pool.ts'
import { buildApp } from '../http/app.ts'
import type { Deps } from '../http/route.ts'
import { systemClock } from '../runner/clock.ts'
import { concurrencyLimits } from '../runner/concurrency.ts'
import { startRunner } from '../runner/runner.ts'
import { createServerStats, type ServerStats } from '../stats/server-stats.ts'
import { watchEventLoop } from '../stats/watch-event-loop.ts'
import { DataFolderError } from '../store/embedded/disk/errors.ts'
import { type OpenStore, openStore } from '../store/open.ts'
import { CommandFailure, type Context } from './context.ts'
import { type ServerLog as Log, openLog } from './log.ts'
import { machine } from './machine.ts'
import { startRetention } from './retention.ts'
import { version } from './version.ts'

type ServerOptions = {
  readonly configFile: string
  readonly dataDir: string
  readonly host: string
  readonly port: number
  readonly basePath: string
  /** Whether this process runs checks. */
  readonly runner: boolean
  /** Whether a missed ping is stored as a failing result. */
  readonly deadlines: boolean
  /** Exchanges a one-time code of the page for credentials. */
  readonly signIn?: Deps['signIn']
}

export type Server = {
  readonly url: string
  readonly catalogue: Catalogue
  readonly store: OpenStore
  readonly log: Log
  readonly judge: JudgeForCheck
  readonly onChange: OpenCatalogue['onChange']
  /** Waits for requests and runs in progress, then releases all resources. */
  close(): Promise<void>
}

/** Starts store, API and runner. Nothing is started where the config file has a fault. */
export async function startServer(context: Context, options: ServerOptions): Promise<Server> {
  const closers: (() => Promise<void>)[] = []
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer()
  }
  try {
    return { ...(await openAll(context, options, (closer) => closers.push(closer))), close }
  } catch (error) {
    await close()
    throw error
  }
}

async function openAll(
  context: Context,
  options: ServerOptions,
  toClose: (closer: () => Promise<void>) => void,
): Promise<Omit<Server, 'close'>> {
  const log = openLog(context)
  const stats = createServerStats()
  const { service } = await readConfig(options.configFile, context.env)
  const store = await openResults(context, options, { log, stats: stats.store })
  toClose(() => store.close())
  const retention = startRetention({ store, clock: systemClock, log })
  toClose(async () => retention.close())
  retention.set(service)
  const opened = await openCatalogue(catalogueOptions(context, options, store, log))
  toClose(() => opened.close())
  const { catalogue } = opened
  opened.onChange(() => retention.set(catalogue.service()))
  const app = await buildApp({
    catalogue,
    store,
    clock: systemClock,
    log,
    basePath: options.basePath,
    stats,
    ...(options.signIn && { signIn: options.signIn }),
  })
  await app.listen({ host: options.host, port: options.port }).catch((error) => {
    throw listenFailure(error, options)
  })
  const url = `${urlOf(app.server.address() as AddressInfo)}${options.basePath}`
  const started = {
    version: version(),
    config: options.configFile,
    data: options.dataDir,
    checks: catalogue.allChecks().length,
    address: url,
  }
  log.info(started, 'Tidemark has started.')
  const { judge, close: closeJudges } = openJudgePool()
  toClose(closeJudges)
  const stopRunner = run(context, options, { opened, store, log, judge, stats: stats.runner })
  const stopWatching = watchEventLoop(stats.eventLoopDelay)
  toClose(async () => stopWatching())
  toClose(async () => {
    await Promise.all([app.close(), stopRunner()])
  })
  return { url, catalogue, store, log, judge, onChange: opened.onChange }
}

type StoreParts = { readonly log: Log; readonly stats: ServerStats['store'] }

async function openResults({ now }: Context, { dataDir }: ServerOptions, { log, stats }: StoreParts): Promise<OpenStore> {
  try {
    const workers = Math.min(4, Math.max(1, availableParallelism() - 1))
    return await openStore({
      directory: dataDir,
      workers,
      clock: now,
      log: (problem) => log.error(problem),
      dropped: (days) => logDropped(log, days),
      stats,
    })
  } catch (error) {
    if (error instanceof DataFolderError) throw new CommandFailure(error.message)
    const { code } = error as NodeJS.ErrnoException
    throw code ? new CommandFailure(`The data folder ${dataDir} cannot be used (${code}). Choose another with --data.`, 2) : error
  }
}

function logDropped(log: Log, days: number): void {
  log.info({ days }, `Results older than the retention are deleted: ${days} days, each of one check.`)
}

function catalogueOptions({ env, now }: Context, { configFile: file }: ServerOptions, store: OpenStore, log: Log) {
  return { file, env, now, log, recordDefinitions: store.recordDefinitions, parseChanged: parseInThread }
}

type RunnerParts = {
  readonly opened: OpenCatalogue
  readonly store: OpenStore
  readonly log: Log
  readonly judge: JudgeForCheck
  readonly stats: ServerStats['runner']
}

function run({ settings, env }: Context, { configFile, runner: runs, deadlines }: ServerOptions, parts: RunnerParts): () => Promise<void> {
  const { opened, store, log, judge, stats } = parts
  const { catalogue } = opened
  const configDir = dirname(resolve(configFile))
  const { chromium, locations } = settings
  const tasks = { runs, deadlines }
  const concurrency = concurrencyLimits(machine(), { light: settings.maxRuns, heavy: settings.maxHeavyRuns })
  const options = { catalogue, store, clock: systemClock, log, judge, configDir, chromium, env, locations, tasks, concurrency, stats }
  const runner = startRunner(options)
  const stopListening = opened.onChange(() => runner.reload())
  return async () => {
    stopListening()
    await runner.close()
  }
}

function urlOf({ address, family, port }: AddressInfo): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}

function listenFailure(error: NodeJS.ErrnoException, { host, port }: ServerOptions): Error {
  if (error.code === 'EADDRINUSE')
    return new CommandFailure(`Port ${port} of ${host} is in use. Stop what uses it, or choose another with --port.`)
  if (error.code === 'EACCES') return new CommandFailure(`Port ${port} may not be opened by this user. Choose one above 1023 with --port.`)
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND')
    return new CommandFailure(`${host} is not an address of this machine. Choose one with --host.`)
  return error
}
