import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Catalogue } from '../../catalogue/catalogue.ts'
import type { Store } from '../../store/store.ts'
import { dayMs, minuteMs } from '../../time.ts'
import type { ChannelType, Transport } from '../channels/channel.ts'
import { exampleMessage } from '../channels/example-message.ts'
import type { Decision } from '../decide/alert-state.ts'
import { explainAlerts } from '../decide/explain.ts'
import { type AccountAlerts, openAccountAlerts } from './account-alerts.ts'
import { type AgentSighting, createAgentSightings } from './agent-sightings.ts'
import type { AlertService, Log } from './alert-service.ts'
import { type MeasureBurn, watchBurnRates } from './burn-rates.ts'
import { commitForCertain } from './certain-commit.ts'
import { isAboutChannel } from './channel-notice.ts'
import { configuredPlan } from './configured-plan.ts'
import { startDeadManSwitches } from './dead-man-switch.ts'
import { createEventListeners } from './event-listeners.ts'
import { followAccounts } from './follow-accounts.ts'
import { messageLinks, readAcknowledgeToken } from './message-links.ts'
import { type OutboxOptions, openOutbox, storedOf } from './open-outbox.ts'
import { createReachability, type ReachReport } from './reachability.ts'
import { createAttemptRecorder } from './record-attempts.ts'
import { createReviewTimes } from './review-times.ts'
import { type ChannelTarget, createSender } from './sender.ts'
import { createSilenceList } from './silence-list.ts'

export type AlertLoopOptions = OutboxOptions & {
  readonly catalogue: Catalogue
  readonly onConfigChange: (listener: () => void) => () => void
  readonly store: Pick<Store, 'latest' | 'results' | 'outages' | 'onAppended'>
  readonly channelTypes: readonly ChannelType[]
  readonly transport: Transport
  readonly log: Log
  /** The base of links in messages, without a trailing slash; null for no links. */
  readonly publicUrl: () => string | null
  readonly measureBurn: MeasureBurn
}

export type AlertLoop = AlertService & {
  /** Reports of runners about the canaries of their locations. */
  hearReach(reports: readonly ReachReport[]): Promise<void>
  /** Reports of processes about their agents. */
  hearAgents(sightings: readonly AgentSighting[]): Promise<void>
  close(): Promise<void>
}

/** Follows the results of all accounts with alert rules, and notifies their channels. */
export async function startAlerts(options: AlertLoopOptions): Promise<AlertLoop> {
  const { catalogue, store, channelTypes, transport, now, log, publicUrl } = options
  const { database, secret, stored, ...outbox } = await openOutbox(options)
  const listeners = createEventListeners()
  const reviews = createReviewTimes(now)
  const closing = new AbortController()

  const targetOf = (account: string, id: string): ChannelTarget | undefined => {
    const channel = catalogue.policies(account).channels.find((each) => each.id === id)
    const channelType = channelTypes.find(({ type }) => type === channel?.type)
    return channel && channelType ? { channelType, settings: channel.settings } : undefined
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
    record: (attempt) => recorder.record(attempt),
    onFailure: (error, { account, delivery }) =>
      log.error({ err: error, account, channel: delivery.channel }, 'Could not send or record a message; retrying.'),
  })
  const send = (account: string, delivery: Decision['deliveries'][number]) =>
    sender.add({ account, delivery, attempts: 0, mayHaveArrived: false, nextAt: now() })

  const recorder = createAttemptRecorder({
    database,
    stored: stored.health,
    log,
    alertsOf: (account) => accounts.get(account),
    hasChannel: (account, channel) => targetOf(account, channel) !== undefined,
    onAttempt: (attempt) => listeners.publish(attempt.account, { kind: 'attempt', attempt }),
    send,
    hurry: sender.hurry,
    isClosing: () => closing.signal.aborted,
  })

  function open(account: string): AccountAlerts {
    return openAccountAlerts({
      plan: planOf(account),
      stored: storedOf(stored, account),
      now,
      newId: randomUUID,
      burn: (slo, pair) => burnRates.of(account, slo, pair),
      silences: () => silences.inForce(account),
      unreachable: () => reachability.of(account),
      canaryWaitUntil: (location, failedAt) => reachability.waitUntil(account, location, failedAt),
      agents: (location) => agents.of(account, location),
      progress: (delivery) => sender.progress(account, delivery),
      links: messageLinks({ publicUrl, secret, account }),
      commit: (change) =>
        commitForCertain(() => database.call('commit', [change]), {
          signal: closing.signal,
          onFailure: (error) => log.error({ err: error, account }, 'Could not write alerts to the data folder; writing them again.'),
        }),
      onDecided: (decision) => onDecided(account, decision),
      onChanged: (incident, change) => listeners.publish(account, { kind: 'incident', incident, change }),
      onFailure: (error) => log.error({ err: error, account }, 'Could not write alerts to the data folder; evaluating them again.'),
    })
  }

  function onDecided(account: string, { deliveries, superseded }: Decision): void {
    reviews.note(account)
    for (const delivery of superseded) sender.remove(account, delivery)
    for (const delivery of deliveries) send(account, delivery)
  }

  const planOf = (account: string) => configuredPlan(options, account)

  async function reviewIncidents(account: string): Promise<void> {
    const alerts = accounts.get(account)
    await alerts?.review({ incidents: alerts.state.incidents.keys() })
  }

  const silences = createSilenceList({ database, stored: stored.silences, now, onChange: reviewIncidents })
  const following = followAccounts({
    catalogue,
    store,
    now,
    log,
    stored,
    planOf,
    open,
    onSeeded(account) {
      for (const waiting of stored.inFlight) if (waiting.account === account) sender.add(waiting)
    },
    onRedefined(account, { policies }, { policies: { channels: known } }) {
      // Others keep their pauses: each write of a managed check redefines the account.
      const before = new Map(known.map((channel) => [channel.id, channel]))
      for (const channel of policies.channels) if (!isDeepStrictEqual(before.get(channel.id), channel)) sender.hurry(account, channel.id)
    },
  })
  const { accounts } = following
  const burnRates = watchBurnRates({
    measure: options.measureBurn,
    plans: () => Array.from(accounts.values(), (alerts) => alerts.plan()),
    onMeasured: (account) => void accounts.get(account)?.review('burn'),
    onFailure: (account, slo, error) => log.warn({ err: error, account, slo }, 'Could not measure the burn rate of an SLO.'),
  })
  const reachability = createReachability({
    now,
    hasCanary: ({ account, location }) => catalogue.policies(account).canaries.some((canary) => canary.location === location),
    stored: stored.unreachable,
    record: (spell) =>
      void database.call('recordUnreachable', [spell]).catch((error) => log.error({ err: error }, 'Could not record canary findings.')),
    onChange: (account) => void accounts.get(account)?.review({ incidents: [] }),
    onProbed: (account) => void reviewIncidents(account),
  })
  const agents = createAgentSightings({
    now,
    stored: stored.agents,
    record: (seen, forgotten) => database.call('recordAgents', [seen, forgotten]),
    onNews: (account) => void accounts.get(account)?.review('agents'),
  })
  const flushAgents = (all = false) =>
    agents.flush(all).catch((error) => log.error({ err: error }, 'Could not record the last reports of agents.'))
  const flushing = setInterval(() => void flushAgents(), minuteMs / 2).unref()
  const switches = startDeadManSwitches({
    now,
    transport,
    accounts: () => accounts.keys(),
    configured: (account) => catalogue.policies(account).deadManSwitch,
    isAlive: (account) => reviews.isCurrent(account) && sender.isMoving(account),
    onFailure: (account, error) => log.warn({ err: error, account }, "Could not call the dead man's switch."),
  })
  const follow = () => {
    if (closing.signal.aborted) return
    reachability.follow()
    following.follow()
  }
  const stopWatching = options.onConfigChange(follow)
  const expiry = setInterval(() => void outbox.expire().catch(() => {}), dayMs).unref()
  follow()
  void burnRates.tick()

  return {
    incidents: (query) => database.call('incidents', [query]),
    incident: (account, id) => database.call('incident', [account, id]),
    changes: (query) => database.call('changes', [query]),
    deliveries: (query) => database.call('deliveries', [query]),
    acknowledge: async (account, id, by) => (await accounts.get(account)?.acknowledge(id, by)) ?? null,
    ofToken: (token) => readAcknowledgeToken(secret, token),
    silences: silences.of,
    silence: silences.add,
    endSilence: silences.end,
    health: recorder.health,
    hearReach: async (reports) => reachability.hear(reports),
    hearAgents: agents.hear,
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
      const trouble = (channel: string) => recorder.trouble(account, channel)
      return alerts && check ? explainAlerts(alerts.state, { ...alerts.input('all'), trouble }, check) : []
    },
    stats: () => ({
      open: new Map(Array.from(accounts, ([account, alerts]) => [account, alerts.openCount()])),
      attempts: recorder.counts(),
      waiting: sender.waiting(),
      oldestWaitingAt: sender.oldestWaiting(),
      broken: recorder.broken(),
      isLeader: null,
    }),
    onEvent: listeners.add,
    async close() {
      closing.abort()
      stopWatching()
      clearInterval(expiry)
      clearInterval(flushing)
      switches.close()
      await Promise.all([burnRates.close(), following.close()])
      await Promise.all([sender.close(), flushAgents(true)])
      await recorder.close()
      await outbox.close()
    },
  }
}
