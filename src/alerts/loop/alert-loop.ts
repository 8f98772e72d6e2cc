import { randomUUID } from 'node:crypto'
import type { Catalogue, Check } from '../../catalogue/catalogue.ts'
import { fallbackChannel } from '../../catalogue/policies/policies.ts'
import { makePrivateFolder } from '../../store/embedded/disk/private-files.ts'
import type { Store } from '../../store/store.ts'
import { inlineWorker, singleWorker, type WorkerHandle } from '../../store/threads/worker.ts'
import type { ThreadOptions } from '../../threads/thread.ts'
import { dayMs, isoText, minuteMs } from '../../time.ts'
import type { ChannelType, DeliveryOutcome, Transport } from '../channels/channel.ts'
import { exampleMessage } from '../channels/example-message.ts'
import type { AlertMessage } from '../channels/message.ts'
import { explainAlerts, type RuleExplanation } from '../decide/explain.ts'
import type { DecideInput } from '../decide/input.ts'
import type { Delivery, Incident, Silence, Told } from '../decide/model.ts'
import { type AlertPlan, planAlerts } from '../decide/plan.ts'
import type { Decision } from '../decide/state.ts'
import {
  type AlertDatabase,
  type ChangeQuery,
  type ChannelHealth,
  type DeliveryAttempt,
  type DeliveryQuery,
  type DeliveryRecord,
  type IncidentQuery,
  type IncidentRecord,
  type MemberChange,
  openAlertDatabase,
  type StoredAccounts,
} from '../outbox/alert-database.ts'
import { keptMs } from '../outbox/alert-rows.ts'
import { aboutChannel, isAboutChannel } from './about-channel.ts'
import { type AccountAlerts, emptyChange, type IncidentChange, openAccountAlerts } from './account-alerts.ts'
import { acknowledgeToken, readAcknowledgeToken } from './acknowledge-token.ts'
import { type MeasureBurn, watchBurnRates } from './burn-rates.ts'
import { createChannelHealth, type ObservedHealth } from './channel-health.ts'
import { startDeadManSwitches } from './dead-man-switch.ts'
import { createReachability, type ReachReport } from './reachability.ts'
import { seedCheck, seedFacts } from './seed-facts.ts'
import { type ChannelTarget, createSender } from './sender.ts'

/** What the API, the page and the command line ask of alerts. */
export type AlertService = {
  incidents(query: IncidentQuery): Promise<readonly IncidentRecord[]>
  incident(account: string, id: string): Promise<IncidentRecord | null>
  changes(query: ChangeQuery): Promise<readonly MemberChange[]>
  deliveries(query: DeliveryQuery): Promise<readonly DeliveryRecord[]>
  /** Null where the account has no such incident that is open or was lately. */
  acknowledge(account: string, id: string, by: string): Promise<Incident | null>
  /** The incident that a signed link names; null for any other token. */
  ofToken(token: string): { readonly account: string; readonly incident: string } | null
  silences(account: string): readonly Silence[]
  silence(silence: Omit<Silence, 'id'>): Promise<Silence>
  endSilence(account: string, id: string): Promise<boolean>
  health(account: string): readonly ChannelHealth[]
  /** Sends a test message now, once. Null for an unknown channel. */
  test(account: string, channel: string): Promise<DeliveryOutcome | null>
  /** The rules in force; null where the account has none. */
  plan(account: string): AlertPlan | null
  /** Why each rule would alert about a check now, or would not. */
  explain(account: string, checkId: string): Promise<readonly RuleExplanation[]>
  stats(): AlertStats
  /** Calls back with every decision and every attempt of an account; returns what ends it. */
  onEvent(account: string, listener: (event: AlertServiceEvent) => void): () => void
}

export type AlertServiceEvent =
  | { readonly kind: 'incident'; readonly incident: Incident; readonly change: IncidentChange }
  | { readonly kind: 'attempt'; readonly attempt: DeliveryAttempt }

export type AlertStats = {
  readonly open: ReadonlyMap<string, number>
  /** By account, channel and outcome. */
  readonly attempts: ReadonlyMap<string, number>
  readonly waiting: number
  readonly oldestWaitingAt: number | null
  readonly broken: readonly ChannelHealth[]
  /** Whether this process sends the alerts of those that share a database; null where there is no other. */
  readonly isLeader: boolean | null
}

export type Log = {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

export type AlertLoopOptions = {
  readonly directory: string
  readonly catalogue: Catalogue
  readonly onConfigChange: (listener: () => void) => () => void
  readonly store: Pick<Store, 'latest' | 'results' | 'outages' | 'onAppended'>
  readonly channelTypes: readonly ChannelType[]
  readonly transport: Transport
  readonly now: () => number
  readonly log: Log
  /** The base of links in messages, without a slash at its end; null for no links. */
  readonly publicUrl: () => string | null
  readonly measureBurn: MeasureBurn
  /** Default: the database is in a thread. */
  readonly inline?: boolean
  /** Used instead of the one in the directory; the caller closes it. */
  readonly database?: WorkerHandle<AlertDatabase>
} & Pick<ThreadOptions, 'onLost'>

export type AlertLoop = AlertService & {
  /** What those who run the checks of locations have found of canaries. */
  hearReach(reports: readonly ReachReport[]): Promise<void>
  close(): Promise<void>
}

/** Follows the results of all accounts with alert rules, and tells their channels. */
export async function startAlerts(options: AlertLoopOptions): Promise<AlertLoop> {
  const { directory, catalogue, store, channelTypes, transport, now, log, publicUrl, inline, onLost } = options
  makePrivateFolder(directory)
  const database: WorkerHandle<AlertDatabase> =
    options.database ??
    (inline
      ? inlineWorker<AlertDatabase>(openAlertDatabase({ directory }))
      : singleWorker<AlertDatabase>(
          new URL(`../outbox/${'outbox'}-thread.js`, import.meta.url),
          { directory },
          {
            kind: 'alerts',
            ...(onLost && { onLost }),
          },
        ))
  await database.call('expire', [now() - keptMs])
  const secret = await database.call('secret', [])
  await database.call('beginHistory', [now()])
  const stored = await database.call('load', [now()])
  const accounts = new Map<string, AccountAlerts>()
  const stopFollowing = new Map<string, () => void>()
  const listeners = new Map<string, Set<(event: AlertServiceEvent) => void>>()
  const attempts = new Map<string, number>()
  const health = createChannelHealth(stored.health)
  let silences = [...stored.silences]
  let lastReviewAt = now()
  let isClosing = false

  const targetOf = (account: string, id: string): ChannelTarget | undefined => {
    const channel = catalogue.policies(account).channels.find((each) => each.id === id)
    const channelType = channelTypes.find(({ type }) => type === channel?.type)
    return channel && channelType ? { channelType, settings: channel.settings } : undefined
  }
  const publish = (account: string, event: AlertServiceEvent) => {
    for (const listener of listeners.get(account) ?? []) listener(event)
  }

  const sender = createSender({
    now,
    transport,
    target: targetOf,
    async isStillDue(account, delivery) {
      if (isAboutChannel(delivery)) return 'due'
      const alerts = accounts.get(account)
      await alerts?.review({ incidents: [delivery.incident] })
      if (!alerts?.isInFlight(delivery)) return 'over'
      return alerts.isHeld(delivery) ? 'held' : 'due'
    },
    record,
    onFailure: (error, { account, delivery }) =>
      log.error({ err: error, account, channel: delivery.channel }, 'A message could not be sent or recorded, and is tried again.'),
  })

  async function record(attempt: DeliveryAttempt): Promise<void> {
    const { account, delivery, outcome } = attempt
    const key = JSON.stringify([account, delivery.channel, outcome])
    attempts.set(key, (attempts.get(key) ?? 0) + 1)
    const alerts = isAboutChannel(delivery) ? undefined : accounts.get(account)
    const told = toldBy(attempt, alerts)
    const observed = health.observe(attempt)
    await database
      .call('recordAttempt', [attempt, told, observed.after])
      .catch((error) => log.error({ err: error }, 'An attempt to deliver an alert could not be recorded.'))
    publish(account, { kind: 'attempt', attempt })
    if (observed.before?.state !== observed.after.state || outcome === 'givenUp') await tellHealth(attempt, observed)
    if (alerts && outcome !== 'retry' && !isClosing) void alerts.review({ incidents: [delivery.incident] })
  }

  function toldBy({ outcome, delivery, at }: DeliveryAttempt, alerts: AccountAlerts | undefined): Told | null {
    if (outcome === 'delivered') return alerts?.delivered(delivery, at) ?? null
    return outcome === 'givenUp' ? (alerts?.givenUp(delivery, at) ?? null) : null
  }

  /** A channel that takes no messages is told to the log, and to the channel named `fallback`. */
  async function tellHealth({ account, delivery, outcome, answer, at }: DeliveryAttempt, { before, after }: ObservedHealth): Promise<void> {
    const fields = { account, channel: delivery.channel, answer }
    if (after.state === 'ok') {
      if (!before) return
      log.info(fields, 'A channel works again.')
      sender.hurry(account, delivery.channel)
      return
    }
    if (outcome === 'retry') return log.warn(fields, 'A message could not be delivered, and is tried again.')
    const isGivenUp = outcome === 'givenUp'
    log.error(fields, isGivenUp ? 'A message was given up after a day.' : 'A channel is broken. It is tried again every hour.')
    if (delivery.channel === fallbackChannel || !targetOf(account, fallbackChannel)) return
    const incident = aboutChannel(delivery.channel)
    const message: AlertMessage = {
      ...delivery.message,
      id: randomUUID(),
      event: 'channelBroken',
      incident: { id: incident, openedAt: at, closedAt: null },
      title: `Channel ${delivery.channel} ${isGivenUp ? 'did not take a message for a day' : 'is broken'}: ${answer}`,
      reminder: null,
      decidedAt: at,
      links: { incident: null, acknowledge: null },
    }
    const toldAfter = {
      incident,
      channel: fallbackChannel,
      open: [],
      flapping: [],
      firstAt: null,
      lastAt: null,
      reminders: 0,
      dropped: false,
    }
    const notice: Delivery = { message, channel: fallbackChannel, incident, toldAfter, decidedAt: at }
    await database.call('commit', [{ ...emptyChange, account, deliveries: [notice], now: at }])
    sender.add({ account, delivery: notice, attempts: 0, mayHaveArrived: false, nextAt: at })
  }

  function open(account: string): AccountAlerts {
    const own: StoredAccounts['incidents'] = stored.incidents.filter((incident) => incident.account === account)
    const ids = new Set(own.map(({ id }) => id))
    const waiting = stored.inFlight.filter((each) => each.account === account)
    return openAccountAlerts({
      plan: planOf(account),
      stored: {
        incidents: own,
        told: stored.told.filter(({ incident }) => ids.has(incident)),
        inFlight: waiting.map(({ delivery }) => delivery).filter((delivery) => !isAboutChannel(delivery)),
      },
      now,
      newId: randomUUID,
      burn: (slo, pair) => burnRates.of(account, slo, pair),
      silences: () => silences.filter((silence) => silence.account === account && silence.from <= now() && now() < silence.to),
      unreachable: () => reachability.of(account),
      canaryWaitUntil: (location, failedAt) => reachability.waitUntil(account, location, failedAt),
      progress: (delivery) => sender.progress(account, delivery),
      links: linksOf(account),
      commit: (change) => database.call('commit', [change]),
      onDecided: (decision) => onDecided(account, decision),
      onChanged: (incident, change) => publish(account, { kind: 'incident', incident, change }),
      onFailure: (error) => log.error({ err: error, account }, 'Alerts could not be written to the data folder, and are decided again.'),
    })
  }

  function onDecided(account: string, { deliveries, superseded }: Decision): void {
    lastReviewAt = now()
    for (const delivery of superseded) sender.remove(account, delivery)
    for (const delivery of deliveries) sender.add({ account, delivery, attempts: 0, mayHaveArrived: false, nextAt: now() })
  }

  function linksOf(account: string): DecideInput['links'] {
    const at = (path: string) => {
      const base = publicUrl()
      return base === null ? null : `${base}${path}`
    }
    return {
      incident: ({ id }) => ({ incident: at(`/alerts/${id}`), acknowledge: at(`/acknowledge/${acknowledgeToken(secret, account, id)}`) }),
      check: (checkId, result) => ({
        check: at(`/checks/${checkId}`),
        run: result && at(`/checks/${checkId}/runs/${encodeURIComponent(result.id)}?startedAt=${isoText(result.startedAt)}`),
      }),
    }
  }

  const planOf = (account: string) => configuredPlan(options, account)

  async function reviewIncidents(account: string): Promise<void> {
    const alerts = accounts.get(account)
    await alerts?.review({ incidents: alerts.state.incidents.keys() })
  }

  async function seed(account: string, alerts: AccountAlerts): Promise<void> {
    const quorumsOf = (check: Check) => [...new Set((alerts.plan().rulesOf.get(check.id) ?? []).map(({ quorum }) => quorum))]
    const options = { store, tracker: alerts.tracker, quorumsOf, now }
    try {
      await seedFacts(
        catalogue.checks(account).filter(({ id }) => alerts.plan().rulesOf.has(id)),
        options,
      )
      for (const id of alerts.tracker.uncertain()) {
        const check = catalogue.check(account, id)
        if (check) await seedCheck(check, options)
      }
    } catch (error) {
      log.error({ err: error, account }, 'The states of checks could not be read; alerts begin with the next results.')
    }
  }

  /** Follows accounts that have rules, or something left to tell. */
  function follow(): void {
    if (isClosing) return
    reachability.follow()
    const configured = new Set(catalogue.allChecks().map(({ account }) => account))
    for (const account of new Set([...configured, ...stored.incidents.map((incident) => incident.account)])) {
      const known = accounts.get(account)
      if (known) {
        known.redefine(planOf(account))
        for (const { id } of known.plan().policies.channels) sender.hurry(account, id)
        continue
      }
      const hasLeft = stored.incidents.some((incident) => incident.account === account)
      if (catalogue.policies(account).alerts.length === 0 && !hasLeft) continue
      const alerts = open(account)
      accounts.set(account, alerts)
      const buffered: Parameters<AccountAlerts['add']>[0][number][] = []
      let isSeeded = false
      stopFollowing.set(
        account,
        store.onAppended(account, (added) => {
          if (isSeeded) alerts.add(added)
          else buffered.push(...added)
        }),
      )
      void seed(account, alerts).then(() => {
        isSeeded = true
        alerts.add(buffered.splice(0))
        for (const waiting of stored.inFlight) if (waiting.account === account) sender.add(waiting)
        return alerts.review('all')
      })
    }
  }

  const burnRates = watchBurnRates({
    measure: options.measureBurn,
    plans: () => Array.from(accounts.values(), (alerts) => alerts.plan()),
    onMeasured: (account) => void accounts.get(account)?.review('burn'),
    onFailure: (account, slo, error) => log.warn({ err: error, account, slo }, 'The burn rate of an SLO could not be measured.'),
  })
  const reachability = createReachability({
    now,
    hasCanary: ({ account, location }) => catalogue.policies(account).canaries.some((canary) => canary.location === location),
    stored: stored.unreachable,
    record: (spell) =>
      void database
        .call('recordUnreachable', [spell])
        .catch((error) => log.error({ err: error }, 'What canaries could be reached could not be recorded.')),
    onChange: (account) => void accounts.get(account)?.review({ incidents: [] }),
    onProbed: (account) => void reviewIncidents(account),
  })
  const switches = startDeadManSwitches({
    now,
    transport,
    switches: () =>
      [...accounts.keys()].flatMap((account) => {
        const configured = catalogue.policies(account).deadManSwitch
        return configured ? [{ account, ...configured }] : []
      }),
    isAlive: () => now() - lastReviewAt < 2 * minuteMs && now() - (sender.oldestWaiting() ?? now()) < dayMs,
    onFailure: (account, error) => log.warn({ err: error, account }, "The dead man's switch could not be called."),
  })
  const stopWatching = options.onConfigChange(follow)
  const expiry = setInterval(() => void database.call('expire', [now() - keptMs]).catch(() => {}), dayMs).unref()
  follow()
  burnRates.tick()

  return {
    incidents: (query) => database.call('incidents', [query]),
    incident: (account, id) => database.call('incident', [account, id]),
    changes: (query) => database.call('changes', [query]),
    deliveries: (query) => database.call('deliveries', [query]),
    acknowledge: async (account, id, by) => (await accounts.get(account)?.acknowledge(id, by)) ?? null,
    ofToken: (token) => readAcknowledgeToken(secret, token),
    silences: (account) => silences.filter((silence) => silence.account === account && silence.to > now()),
    async silence(given) {
      const silence = { ...given, id: randomUUID() }
      // Before the write, so that concurrent callers count this one against the limit.
      silences = [...silences.filter(({ to }) => to > now()), silence]
      await database.call('putSilence', [silence, now()]).catch((error) => {
        silences = silences.filter((each) => each !== silence)
        throw error
      })
      await reviewIncidents(silence.account)
      return silence
    },
    async endSilence(account, id) {
      const isEnded = await database.call('endSilence', [account, id, now()])
      silences = silences.filter((silence) => silence.account !== account || silence.id !== id)
      if (isEnded) await reviewIncidents(account)
      return isEnded
    },
    health: health.of,
    hearReach: async (reports) => reachability.hear(reports),
    async test(account, channel) {
      const found = targetOf(account, channel)
      const owner = catalogue.account(account)
      if (!found || !owner) return null
      const message = exampleMessage('test', { id: randomUUID(), now: now(), account: { id: owner.id, name: owner.name } })
      return found.channelType.deliver(message, found.settings, transport, new AbortController().signal)
    },
    plan: (account) => accounts.get(account)?.plan() ?? null,
    async explain(account, checkId) {
      const alerts = accounts.get(account)
      const check = catalogue.check(account, checkId)
      return alerts && check ? explainAlerts(alerts.state, alerts.input('all'), check) : []
    },
    stats: () => ({
      open: new Map(
        [...accounts].map(([account, { state }]) => [
          account,
          [...state.incidents.values()].filter(({ closedAt }) => closedAt === null).length,
        ]),
      ),
      attempts,
      waiting: sender.waiting(),
      oldestWaitingAt: sender.oldestWaiting(),
      broken: health.broken().filter(({ account, channel }) => targetOf(account, channel) !== undefined),
      isLeader: null,
    }),
    onEvent(account, listener) {
      const others = listeners.get(account) ?? new Set()
      listeners.set(account, others.add(listener))
      return () => others.delete(listener)
    },
    async close() {
      isClosing = true
      stopWatching()
      clearInterval(expiry)
      switches.close()
      for (const stop of stopFollowing.values()) stop()
      await Promise.all([burnRates.close(), ...Array.from(accounts.values(), (alerts) => alerts.close())])
      await sender.close()
      if (!options.database) await database.close()
    },
  }
}

/** What the config file says of an account now. */
export function configuredPlan(
  { catalogue, channelTypes }: Pick<AlertLoopOptions, 'catalogue' | 'channelTypes'>,
  account: string,
): AlertPlan {
  const repeatEveryMs = (type: string) => channelTypes.find((each) => each.type === type)?.repeatEveryMs ?? null
  const { id, name } = catalogue.account(account) ?? { id: account, name: account }
  return planAlerts({ account: { id, name }, policies: catalogue.policies(account), checks: catalogue.checks(account), repeatEveryMs })
}
