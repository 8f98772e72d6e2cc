import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { within } from '../../concurrency/within.ts'
import type { Coordination, VersionedRow } from '../../store/coordination.ts'
import { makePrivateFolder } from '../../store/embedded/disk/private-files.ts'
import { createRetentionPause } from '../../store/retention-pause.ts'
import { inlineWorker, singleWorker, type WorkerHandle } from '../../store/threads/worker.ts'
import { dayMs, minuteMs } from '../../time.ts'
import { type AlertLoop, type AlertLoopOptions, startAlerts } from '../loop/alert-loop.ts'
import type { AlertService } from '../loop/alert-service.ts'
import { configuredPlans } from '../loop/configured-plan.ts'
import { createEventListeners } from '../loop/event-listeners.ts'
import { readAcknowledgeToken } from '../loop/message-links.ts'
import type { AlertDatabase } from '../outbox/alert-database.ts'
import type { ChannelHealth } from '../outbox/alert-records.ts'
import { type AlertSummary, openSharedAlertDatabase, type SharedAlertDatabase } from '../outbox/shared-alert-database.ts'
import { answerLeaderCalls, createLeaderCalls, type LeaderCall } from './leader-calls.ts'
import { startLease } from './lease.ts'
import { createReplica, type Leading } from './replica.ts'
import { eventsOf } from './row-events.ts'

type SharedAlertsOptions = Omit<AlertLoopOptions, 'database' | 'transport'> & {
  readonly coordination: Coordination
  /** Sends nothing while `maySend` returns false. */
  readonly transport: (maySend: () => boolean) => AlertLoopOptions['transport']
}

const followMs = 1000
const retryMs = 5000
const seenMs = 5000
/** Writes that cannot be done now are given up after this time, so that another process can lead. */
const stepDownMs = 15_000
/** Claims of this many terms are kept, for processes that were suspended for long. */
const keptTerms = 10

/** Calls that change nothing for other processes. */
const localCalls: ReadonlySet<string> = new Set(['load', 'incidents', 'incident', 'changes', 'deliveries', 'expire'])

/** Alerts of processes that share a database: the leader decides and sends, and all have a replica of its state. */
export async function startSharedAlerts({ coordination, ...options }: SharedAlertsOptions): Promise<AlertLoop> {
  const { directory, now, log, inline, onLost } = options
  makePrivateFolder(directory)
  const database: WorkerHandle<SharedAlertDatabase> = inline
    ? inlineWorker(openSharedAlertDatabase({ directory }))
    : singleWorker(
        new URL(`../outbox/${'shared-outbox'}-thread.js`, import.meta.url),
        { directory },
        { kind: 'alerts', ...(onLost && { onLost }) },
      )
  const owner = `${hostname()}:${process.pid}:${Math.random().toString(36).slice(2, 10)}`
  const closing = new AbortController()
  const { publish, ...listeners } = createEventListeners()
  const attempts = new Map<string, number>()
  let summary: AlertSummary = await database.call('summary', [now()])
  let led: Led | null = null
  let turn: Promise<unknown> = Promise.resolve()

  let lastFailure = Number.NEGATIVE_INFINITY
  /** Logs at most once a minute, since everything is retried within seconds. */
  const onFailure = (error: unknown) => {
    if (performance.now() - lastFailure < minuteMs) return
    lastFailure = performance.now()
    log.warn({ err: error }, 'Alerts could not be shared with other processes. Retrying.')
  }
  const replica = createReplica({
    database,
    rows: coordination.rows,
    now,
    async onApplied(rows: readonly VersionedRow[]) {
      const before = summary
      summary = await database.call('summary', [now()])
      for (const { account, event } of eventsOf(rows, before)) publish(account, event)
    },
    onFailure,
  })

  const lease = startLease({
    claims: coordination.claims,
    owner,
    clock: {
      now: Date.now,
      monotonic: () => performance.now(),
      sleep: (ms, signal) => sleep(ms, undefined, { signal, ref: false }).catch(() => {}),
    },
    onWon: (term) => inTurn(() => lead(term)),
    onLost: (term) => {
      if (led?.term === term) led.lost.abort()
      log.warn({}, 'This process no longer sends alerts: another one may.')
      inTurn(async () => led && stepDown(led))
    },
    onFailure,
  })
  function inTurn(work: () => Promise<unknown>): void {
    turn = turn.then(work).catch((error) => log.error({ err: error }, 'Leadership could not be handed over.'))
  }

  /** A term may be over before its turn comes, while that of an earlier one is still being ended. */
  async function lead(term: number): Promise<void> {
    if (lease.held() !== term) return
    const lost = new AbortController()
    const leading: Leading = { term, isValid: () => lease.held() === term && !lost.signal.aborted, signal: lost.signal }
    const stop = new AbortController()
    const mine: Led = { term, lost, stop, loop: null, answering: Promise.resolve(), expiry: undefined }
    led = mine
    const loop = await beginning(leading)
    if (!loop) return
    mine.loop = loop
    for (const account of listeners.accounts()) relay(loop, account)
    mine.answering = answerLeaderCalls({
      calls: coordination.calls,
      signal: AbortSignal.any([lost.signal, stop.signal]),
      run: (call) => runCall(loop, call),
      version: replica.position,
      onFailure,
    })
    const isPaused = createRetentionPause({ clock: now, log: (problem) => log.warn({}, String(problem)) })
    const expire = () =>
      void Promise.all([!isPaused() && replica.expire(), coordination.claims.deleteBefore(term - keptTerms)]).catch(onFailure)
    mine.expiry = setInterval(expire, dayMs).unref()
    expire()
    log.info({ term }, 'This process sends the alerts of all processes.')
  }

  /** Null if the lease is lost before the loop has started. */
  async function beginning(leading: Leading): Promise<AlertLoop | null> {
    while (!leading.signal.aborted && !closing.signal.aborted) {
      try {
        await replica.begin(leading)
        return await startAlerts({ ...options, transport: options.transport(leading.isValid), database: leadersDatabase(leading) })
      } catch (error) {
        if (closing.signal.aborted) return null
        log.error({ err: error }, 'This process could not start to send alerts. Retrying.')
        await sleep(retryMs, undefined, { signal: AbortSignal.any([leading.signal, closing.signal]), ref: false }).catch(() => {})
      }
    }
    return null
  }

  /** Attempts in progress are awaited and recorded for a while, unless the lease was lost. */
  async function stepDown({ loop, lost, stop, answering, expiry }: Led): Promise<void> {
    stop.abort()
    clearInterval(expiry)
    await answering
    const closed = loop?.close() ?? Promise.resolve()
    await within(closed, stepDownMs)
    lost.abort()
    await closed
    for (const [key, count] of loop?.stats().attempts ?? []) attempts.set(key, (attempts.get(key) ?? 0) + count)
    led = null
    relayed.clear()
    summary = await database.call('summary', [now()])
  }

  /** Accounts whose events are relayed to all listeners. */
  const relayed = new Set<string>()
  function relay(loop: AlertService, account: string): void {
    if (relayed.has(account)) return
    relayed.add(account)
    loop.onEvent(account, (event) => publish(account, event))
  }

  /** The database of the leader: its writes are replicated to all processes. */
  function leadersDatabase(leading: Leading): WorkerHandle<AlertDatabase> {
    const call = async (name: string, args: readonly unknown[]) => {
      if (localCalls.has(name)) return database.call(name as 'load', args as [number])
      return replica.write([{ name, args }], leading)
    }
    return { call: call as WorkerHandle<AlertDatabase>['call'], close: async () => {} }
  }

  async function follow(): Promise<void> {
    while (!closing.signal.aborted) {
      if (led === null) await replica.catchUp().catch(onFailure)
      await sleep(followMs, undefined, { signal: closing.signal, ref: false }).catch(() => {})
    }
  }
  const following = follow()

  /** Runs here if this process leads, otherwise at the leader. Resolves once this process sees the effect. */
  async function ask<T>(name: keyof AskedCalls, args: readonly unknown[]): Promise<T> {
    const call = { name, args }
    if (led?.loop) return (await runCall(led.loop, call)) as T
    const { value, version } = await calls.ask(call)
    const end = performance.now() + seenMs
    while (led === null && replica.position() < version && performance.now() < end) await replica.catchUp()
    return value as T
  }
  const calls = createLeaderCalls(coordination.calls)
  const plans = configuredPlans(options)
  const isConfigured = ({ account, channel }: ChannelHealth) =>
    options.catalogue.policies(account).channels.some(({ id }) => id === channel)

  return {
    incidents: (query) => database.call('incidents', [query]),
    incident: (account, id) => database.call('incident', [account, id]),
    changes: (query) => database.call('changes', [query]),
    deliveries: (query) => database.call('deliveries', [query]),
    acknowledge: (...args) => ask('acknowledge', args),
    ofToken: (token) =>
      led?.loop ? led.loop.ofToken(token) : summary.secret === null ? null : readAcknowledgeToken(summary.secret, token),
    silences: (account) =>
      led?.loop ? led.loop.silences(account) : summary.silences.filter((silence) => silence.account === account && silence.to > now()),
    silence: (...args) => ask('silence', args),
    endSilence: (...args) => ask('endSilence', args),
    health: (account) => (led?.loop ? led.loop.health(account) : summary.health.filter((each) => each.account === account)),
    test: (...args) => ask('test', args),
    hearReach: (...args) => ask('hearReach', args),
    hearAgents: (...args) => ask('hearAgents', args),
    plan: (account) => (led?.loop ? led.loop.plan(account) : plans.of(account)),
    explain: (...args) => ask('explain', args),
    stats() {
      const own = led?.loop?.stats()
      const total = new Map(attempts)
      for (const [key, count] of own?.attempts ?? []) total.set(key, (total.get(key) ?? 0) + count)
      if (own) return { ...own, attempts: total, isLeader: true }
      const { open, waiting, oldestWaitingAt, health } = summary
      return {
        open: new Map(open.map((each) => [each.account, each.count])),
        attempts: total,
        waiting,
        oldestWaitingAt,
        broken: health.filter((each) => each.state === 'broken' && isConfigured(each)),
        isLeader: false,
      }
    },
    onEvent(account, listener) {
      if (led?.loop) relay(led.loop, account)
      return listeners.add(account, listener)
    },
    async close() {
      closing.abort()
      // A term that has not begun yet may wait for a database or a disk that cannot be written.
      if (led && !led.loop) led.lost.abort()
      await following
      await turn
      if (led) await stepDown(led)
      await lease.close()
      await turn
      await database.close()
      await coordination.close()
    },
  }
}

type Led = {
  readonly term: number
  /** Aborted once the lease is lost. */
  readonly lost: AbortController
  /** Aborted when this process must stop. */
  readonly stop: AbortController
  loop: AlertLoop | null
  answering: Promise<void>
  expiry: NodeJS.Timeout | undefined
}

/** Calls that only the leader can answer. */
type AskedCalls = Pick<AlertLoop, 'acknowledge' | 'silence' | 'endSilence' | 'test' | 'explain' | 'hearReach' | 'hearAgents'>

/** Runs a call of another process. */
function runCall(loop: AskedCalls, { name, args }: LeaderCall): Promise<unknown> {
  const known: Readonly<Record<string, (...args: never[]) => Promise<unknown>>> = {
    acknowledge: loop.acknowledge,
    silence: loop.silence,
    endSilence: loop.endSilence,
    test: loop.test,
    explain: loop.explain,
    hearReach: loop.hearReach,
    hearAgents: loop.hearAgents,
  }
  return known[name]?.(...(args as never[])) ?? Promise.reject(new Error(`other processes cannot call ${name}`))
}
