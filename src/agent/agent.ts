import { randomUUID } from 'node:crypto'
import type { Check } from '../catalogue/catalogue.ts'
import type { CheckType } from '../checks/define.ts'
import type { Probe } from '../checks/probe/probe.ts'
import { checkTypes as registry } from '../checks/registry.ts'
import type { Env } from '../config.ts'
import { resultRow } from '../ingest/export.ts'
import { createFirstFailures } from '../locations/first-failures.ts'
import { type Assignment, protocolVersion } from '../locations/protocol.ts'
import { pause, type RunClock } from '../runner/clock.ts'
import type { ConcurrencyLimits } from '../runner/concurrency.ts'
import type { RunnerLog } from '../runner/log.ts'
import type { OutboxFile } from '../runner/outbox-file.ts'
import { startRunner } from '../runner/runner.ts'
import { createTrialRuns } from '../runner/trial-runs.ts'
import { toResult } from '../store/query/parts/stored-result.ts'
import { type FiledResult, type Store, StoreUnavailable } from '../store/store.ts'
import type { AgentOutbox } from './agent-outbox.ts'
import { type Assignments, createAssignments } from './assignments.ts'
import { createCanaryWatch } from './canary-watch.ts'
import { type AgentDelivery, startDelivery } from './delivery.ts'
import { createHeldChecks } from './held-checks.ts'
import { measureClock } from './measure-clock.ts'
import type { OutboxResult } from './outbox-database.ts'
import { Refusal, reasonOf } from './refusal.ts'
import { createTrialRunner } from './run-trials.ts'
import { type SavedAssignment, withoutSecrets } from './saved-assignment.ts'
import { createScriptCache } from './script-cache.ts'
import { scriptedProbe } from './scripted-probe.ts'
import type { ServerConnection } from './server-connection.ts'
import type { ServerTime } from './server-time.ts'

export type Agent = {
  readonly instance: string
  /** Stops running checks, hands them over to other agents, and delivers as many results as possible. */
  close(): Promise<void>
}

export type AgentOptions = {
  readonly location: string
  /** Its display name. */
  readonly name: string | null
  readonly version: string
  readonly connection: ServerConnection
  readonly outbox: AgentOutbox
  /** For results that the outbox could not take before shutdown. */
  readonly outboxFile?: OutboxFile
  readonly serverTime: ServerTime
  readonly clock: RunClock
  readonly log: RunnerLog
  readonly probe: Probe
  /** Whether to read scripts from a folder of this machine instead of from the server. */
  readonly ownScripts?: boolean
  readonly chromium: string | null
  readonly env: Env
  readonly concurrency: ConcurrencyLimits
  readonly checkTypes?: readonly CheckType[]
  /** How long runs in progress, and then the delivery (`flushMs`), may take on close. */
  readonly graceMs?: number
  readonly flushMs?: number
  readonly waitSeconds?: number
}

const firstContactMs = 5000
const expireEveryMs = 60_000
/** Checks whose scripts take longer to arrive start later. */
const scriptsWaitMs = 5000

/** Runs the checks of a location. Throws the `Refusal` of a server that rejects this agent. */
export async function startAgent(options: AgentOptions): Promise<Agent> {
  const { location, name, version, connection, outbox, serverTime, clock, log, checkTypes = registry } = options
  const instance = await instanceOf(outbox)
  const session = randomUUID()
  const scripts = options.ownScripts ? null : createScriptCache({ connection, clock, log })
  const held = createHeldChecks({ checkTypes, log, scripts })
  const logIdle = createIdleLog(log, location)
  const stop = new AbortController()
  let current: Assignment | null = null
  const canaries = createCanaryWatch({ clock, assignment: () => current, sendReport: () => assignments.report(), signal: stop.signal })
  const assignments = createAssignments({
    location,
    connection,
    clock,
    log,
    report: () => ({ instance, name, session, version, ...reportOf(serverTime, outbox), ...canaries.report(), takesTrials: true }),
    onReached() {
      delivery.retry()
      if (current && held.isIncomplete()) void apply(current)
    },
    ...(options.waitSeconds !== undefined && { waitSeconds: options.waitSeconds }),
  })
  const save = (assignment: Assignment) =>
    saveAssignment(withoutSecrets(assignment, { checkTypes, scriptsAreSent: scripts !== null }), outbox, log)
  current = await firstAssignment({ assignments, outbox, log, location, save })
  if (current) await hold(current)

  async function hold(assignment: Assignment): Promise<void> {
    await scripts?.load(assignment, scriptsWaitMs)
    if (assignment !== current) return
    held.set(assignment)
    logIdle(assignment)
  }

  const delivery = startDelivery({ outbox, connection, clock, log, onDeliveredAgain: canaries.hurry })
  const runner = startRunner({
    ...options,
    probe: scriptedProbe(options.probe, held.scriptsOf),
    catalogue: held.catalogue,
    store: outboxStore({ outbox, delivery, clock: serverTime.clock, location, onFailing: canaries.hurry }),
    clock: serverTime.clock,
    locations: [location],
    tasks: { runs: true, deadlines: false },
    isNew: (check) => isNew(check, serverTime.clock.now()),
    takeoverFrom: held.since,
    onRemoved: 'finish',
    onDropped: (rows) => void outbox.expire(serverTime.clock.now(), rows).catch(() => undefined),
  })
  const tryOut = createTrialRunner({
    connection,
    run: createTrialRuns({ catalogue: held.catalogue, clock: serverTime.clock, log, probe: options.probe }),
    checkTypes,
    log,
    signal: stop.signal,
  })
  if (current) tryOut(current)
  async function apply(assignment: Assignment): Promise<void> {
    current = assignment
    await hold(assignment)
    runner.reload()
  }

  assignments.follow((assignment) => {
    tryOut(assignment)
    void apply(assignment)
    void save(assignment)
  })
  const background = Promise.all([
    measureClock({ connection, serverTime, clock, signal: stop.signal }),
    expireOften(outbox, serverTime.clock, stop.signal),
    canaries.watch(),
  ])
  return {
    instance,
    async close() {
      stop.abort()
      assignments.close()
      await Promise.all([assignments.sayStopping(), runner.close(), background])
      const timeout = new AbortController()
      const cancelTimer = clock.after(options.flushMs ?? 5000, () => timeout.abort())
      await delivery.close(timeout.signal)
      cancelTimer()
      const { waiting } = outbox.counts()
      if (waiting > 0) log.warn({ backlog: waiting }, 'Undelivered results stay in the outbox until the next start.')
    },
  }
}

/** Whether a check was created within its last period; older checks already have results. */
function isNew({ createdAt, everyMs }: Check, now: number): boolean {
  return now - createdAt < everyMs
}

async function instanceOf(outbox: AgentOutbox): Promise<string> {
  const known = await outbox.read('instance')
  const instance = known ?? randomUUID()
  if (known === null) await outbox.write('instance', instance)
  return instance
}

function reportOf(serverTime: ServerTime, outbox: AgentOutbox) {
  const { waiting, dropped } = outbox.counts()
  return { clockOffsetMs: serverTime.settledOffsetMs(), stampsServerTime: serverTime.isOff(), backlog: waiting, agentDropped: dropped }
}

type First = {
  readonly assignments: Assignments
  readonly outbox: AgentOutbox
  readonly log: RunnerLog
  readonly location: string
  readonly save: (assignment: Assignment) => Promise<void>
}

/**
 * The assignment of the server; if the server is unreachable, the saved one, without checks that need secrets or scripts from the server.
 */
async function firstAssignment({ assignments, outbox, log, location, save }: First): Promise<Assignment | null> {
  try {
    const assignment = await assignments.fetch({ timeoutMs: firstContactMs })
    if (assignment) await save(assignment)
    return assignment
  } catch (error) {
    if (error instanceof Refusal && error.isLasting) throw error
    const saved = await savedAssignment(outbox)
    const known = saved?.assignment.location === location && saved.assignment.protocol === protocolVersion ? saved : null
    logAway(log, reasonOf(error), known)
    if (known && known.withheld.length > 0)
      log.warn(
        { checks: known.withheld },
        'These checks cannot run until the server is reachable: they need secrets or scripts, which are not stored on disk.',
      )
    return known?.assignment ?? null
  }
}

function logAway(log: RunnerLog, reason: string, known: SavedAssignment | null): void {
  if (known === null)
    log.warn({ reason }, 'The server is unreachable. The agent has no checks yet: it starts once the server is reachable.')
  else log.warn({ reason, checks: known.assignment.checks.length }, 'The server is unreachable. The agent runs the last known checks.')
}

/** Returns a function that logs that there is nothing to run: once, until there is something again. */
function createIdleLog(log: RunnerLog, location: string): (assignment: Assignment) => void {
  let isIdle = false
  return ({ checks }) => {
    if (checks.length === 0 && !isIdle) log.info({ location }, 'The agent has no checks: none has its location, or other agents run them.')
    isIdle = checks.length === 0
  }
}

const savedName = 'assignment'

async function savedAssignment(outbox: AgentOutbox): Promise<SavedAssignment | null> {
  const text = await outbox.read(savedName)
  return text === null ? null : (JSON.parse(text) as SavedAssignment)
}

async function saveAssignment(saved: SavedAssignment, outbox: AgentOutbox, log: RunnerLog): Promise<void> {
  await outbox
    .write(savedName, JSON.stringify(saved))
    .catch((err: unknown) => log.error({ err }, 'Could not store the configuration on disk.'))
}

type OutboxStore = {
  readonly outbox: AgentOutbox
  readonly delivery: AgentDelivery
  readonly clock: RunClock
  readonly location: string
  /** Called when a check begins to fail. */
  readonly onFailing: () => void
}

/** Results count as stored once they are in the outbox. */
function outboxStore({ outbox, delivery, clock, location, onFailing }: OutboxStore): Pick<Store, 'append' | 'latest'> {
  const failures = createFirstFailures(new Set([location]))
  return {
    async append(filed) {
      await outbox.put(filed.map(outboxResult), clock.now()).catch((error: Error) => {
        throw new StoreUnavailable(`The outbox cannot be written: ${error.message}`, 1)
      })
      delivery.wake()
      if (failures(filed).size > 0) onFailing()
      return { duplicates: [] }
    },
    latest: async () => [],
  }
}

function outboxResult({ check, result, evidence }: FiledResult): OutboxResult {
  return { row: resultRow(check.checkId, toResult(check, result)), evidence: evidence ?? null }
}

async function expireOften(outbox: AgentOutbox, clock: RunClock, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await outbox.expire(clock.now(), 0).catch(() => undefined)
    await pause(clock, expireEveryMs, signal)
  }
}
