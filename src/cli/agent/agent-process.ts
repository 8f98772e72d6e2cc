import { hostname } from 'node:os'
import { resolve } from 'node:path'
import { startAgent } from '../../agent/agent.ts'
import { openAgentOutbox } from '../../agent/agent-outbox.ts'
import { createAssignments } from '../../agent/assignments.ts'
import { createHeldChecks } from '../../agent/held-checks.ts'
import { Refusal } from '../../agent/refusal.ts'
import { createScriptCache, type HeldScripts } from '../../agent/script-cache.ts'
import { withScriptFolder } from '../../agent/script-folder.ts'
import { problemText } from '../../agent/scripted-probe.ts'
import { selfTest } from '../../agent/self-test.ts'
import { openServerConnection, readKeyFile, type ServerConnection, type TlsFiles, Unreachable } from '../../agent/server-connection.ts'
import { createServerTime, type ServerTime } from '../../agent/server-time.ts'
import type { Check, ServiceSettings } from '../../catalogue/catalogue.ts'
import { openProbeThreads } from '../../checks/probe/probe-threads.ts'
import { checkTypes } from '../../checks/registry.ts'
import { isAgentName } from '../../locations/agent-name.ts'
import type { SentCheck, SentScripts } from '../../locations/protocol.ts'
import { systemClock } from '../../runner/clock.ts'
import { concurrencyLimits } from '../../runner/concurrency.ts'
import { openOutboxFile } from '../../runner/outbox-file.ts'
import { DataFolderError } from '../../store/embedded/disk/errors.ts'
import { findConfiguredCheck } from '../configured-check.ts'
import { CommandFailure, type Context } from '../context.ts'
import { machine } from '../machine.ts'
import { runAndShow } from '../run-once.ts'
import { type ServerLog as Log, openLog } from '../terminal/log.ts'
import { version } from '../version.ts'

export type AgentCommandOptions = TlsFiles & {
  readonly server: URL
  readonly keyFile: string
  readonly location: string
  readonly name?: string
  readonly data: string
  readonly scripts?: string
  readonly concurrency?: number
  readonly once?: string
  readonly json?: true
}

type AgentProcess = { readonly instance: string; close(): Promise<void> }

/** Starts an agent. Fails the command with the server's message if the server refuses the agent. */
export async function startAgentProcess(context: Context, options: AgentCommandOptions): Promise<AgentProcess> {
  const log = openLog(context)
  const { connection, serverTime } = await connect(context, options)
  const outbox = await openAgentOutbox({
    directory: options.data,
    onDropped: (dropped) => logDropped(log, dropped),
    onLost: ({ message }) => log.error(message),
  }).catch(failAboutFolder)
  const { chromium, maxHeavyRuns, maxRuns } = context.settings
  const { probe, close: closeProbes } = openProbeThreads(
    { configDir: resolve(options.scripts ?? '.'), chromium, env: context.env },
    { onLost: (_, { message }) => log.error(message) },
  )
  const closeRest = async () => {
    await Promise.all([closeProbes(), outbox.close(), connection.close()])
  }
  const name = options.name ?? machineName()
  try {
    warnIfPlain(log, options.server)
    const agent = await startAgent({
      location: options.location,
      name,
      version: version(),
      connection,
      outbox,
      outboxFile: openOutboxFile(options.data),
      serverTime,
      clock: systemClock,
      log,
      probe,
      ownScripts: options.scripts !== undefined,
      chromium,
      env: context.env,
      concurrency: concurrencyLimits(machine(), { light: options.concurrency ?? maxRuns, heavy: maxHeavyRuns }),
    })
    log.info(
      { version: version(), location: options.location, agent: agent.instance, agentName: name, server: options.server.origin },
      'The agent has started.',
    )
    void logSelfTest(log, context, { connection, serverTime, server: options.server })
    return {
      instance: agent.instance,
      async close() {
        await agent.close()
        await closeRest()
      },
    }
  } catch (error) {
    await closeRest()
    throw refused(error)
  }
}

function machineName(): string | null {
  const name = hostname()
  return isAgentName(name) ? name : null
}

/** Runs one check of the location and prints the run like `tidemark run`. */
export async function runOnce(context: Context, wanted: string, options: AgentCommandOptions): Promise<void> {
  const { check, addresses, scripts } = await fetchCheck(context, wanted, options)
  if (scripts && 'problem' in scripts) throw new CommandFailure(`${check.name} cannot run: ${problemText(scripts)}.`)
  const run = (configDir: string) => runAndShow(context, check, { ...options, configDir, runLocation: options.location, addresses })
  await (scripts ? withScriptFolder(scripts, run) : run(resolve(options.scripts ?? '.')))
}

type Fetched = { readonly check: Check; readonly addresses: ServiceSettings['addresses']; readonly scripts: HeldScripts | undefined }

async function fetchCheck(context: Context, wanted: string, options: AgentCommandOptions): Promise<Fetched> {
  const { connection } = await connect(context, options)
  const common = { connection, clock: systemClock, log: openLog(context) }
  const held = createHeldChecks({ checkTypes, log: common.log, scripts: null })
  try {
    const assignment = await createAssignments({ ...options, ...common, report: null }).fetch()
    if (assignment) held.set(assignment)
    const { catalogue } = held
    const check = findConfiguredCheck({ checks: catalogue.allChecks() }, wanted, { config: `location ${options.location}` })
    const sent = assignment?.checks.find(({ id }) => id === check.id)
    const scripts = sent?.scripts && options.scripts === undefined ? await fetchScripts(sent, sent.scripts, common) : undefined
    return { check, addresses: catalogue.service().addresses, scripts }
  } catch (error) {
    throw refused(error)
  } finally {
    await connection.close()
  }
}

const scriptsTimeoutMs = 30_000

async function fetchScripts(check: SentCheck, sent: SentScripts, common: Parameters<typeof createScriptCache>[0]): Promise<HeldScripts> {
  const cache = createScriptCache(common)
  await cache.load({ checks: [check] }, scriptsTimeoutMs)
  const scripts = cache.get(sent)
  if (scripts === undefined) throw new CommandFailure(`Could not fetch the scripts of ${check.name} from the server.`, 2)
  return scripts
}

type Connected = { readonly connection: ServerConnection; readonly serverTime: ServerTime }

async function connect({ env }: Context, { server: url, keyFile, ca, cert, certKey }: AgentCommandOptions): Promise<Connected> {
  const serverTime = createServerTime(systemClock)
  const { monotonic } = systemClock
  try {
    await readKeyFile(keyFile)
    const connection = await openServerConnection({
      url,
      keyFile,
      tls: { ca, cert, certKey },
      env,
      monotonic,
      onExchange: serverTime.observe,
    })
    return { connection, serverTime }
  } catch (error) {
    throw refused(error)
  }
}

function refused(error: unknown): unknown {
  return error instanceof Refusal || error instanceof Unreachable ? new CommandFailure(error.message, 2) : error
}

function failAboutFolder(error: unknown): never {
  throw error instanceof DataFolderError ? new CommandFailure(error.message, 2) : error
}

function logDropped(log: Log, agentDropped: number): void {
  log.error({ agentDropped }, 'Results were dropped: the outbox was full, or they were older than 24 hours.')
}

/** Warns about unencrypted HTTP, except on loopback, where nobody can intercept traffic. */
function warnIfPlain(log: Log, { protocol, hostname }: URL): void {
  if (protocol === 'http:' && !/^(localhost|127\..*|\[::1\])$/.test(hostname))
    log.warn({ server: hostname }, 'The connection to the server is not encrypted, but it carries secrets. Use https.')
}

type Tested = Connected & { readonly server: URL }

async function logSelfTest(log: Log, { env, settings: { chromium } }: Context, tested: Tested): Promise<void> {
  const findings = await selfTest({ machine: { env, chromium }, ...tested })
  for (const { subject, problem, detail } of findings) {
    if (problem === null) log.info({ subject, ...(detail !== undefined && { detail }) }, 'Self-test: in order.')
    else log.warn({ subject }, `Self-test: ${problem}`)
  }
}
