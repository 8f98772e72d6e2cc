import { fallbackChannel } from '../../catalogue/policies/policies.ts'
import type { WorkerHandle } from '../../store/threads/worker.ts'
import type { Delivery, Notified } from '../decide/model.ts'
import type { AlertDatabase } from '../outbox/alert-database.ts'
import { type ChannelHealth, channelKey, type DeliveryAttempt } from '../outbox/alert-records.ts'
import { type AccountAlerts, emptyChange } from './account-alerts.ts'
import type { Log } from './alert-service.ts'
import { channelNotice, isAboutChannel } from './channel-notice.ts'
import { createOrderedWrites } from './write-in-order.ts'

type RecorderOptions = {
  readonly database: WorkerHandle<AlertDatabase>
  readonly stored: readonly ChannelHealth[]
  readonly log: Log
  readonly alertsOf: (account: string) => AccountAlerts | undefined
  readonly hasChannel: (account: string, channel: string) => boolean
  readonly onAttempt: (attempt: DeliveryAttempt) => void
  /** Sends a message that is on disk. */
  readonly send: (account: string, delivery: Delivery) => void
  /** Retries the messages of a channel at once. */
  readonly hurry: (account: string, channel: string) => void
  readonly isClosing: () => boolean
}

/** Records the outcomes of delivery attempts, and reports channels that do not work to the operator. */
export function createAttemptRecorder(options: RecorderOptions) {
  const { database, log, alertsOf, hasChannel, onAttempt, send, hurry, isClosing } = options
  const counts = new Map<string, number>()
  const health = createChannelHealth(options.stored)
  // Recorded nowhere else: without it, the message would be sent again after a restart.
  const writes = createOrderedWrites((error) =>
    log.error({ err: error }, 'Could not record a delivery attempt of an alert; retrying until it succeeds.'),
  )

  /** Resolves once the outcome is on disk, or is queued because the disk fails. */
  async function record(attempt: DeliveryAttempt): Promise<void> {
    const { account, delivery, outcome } = attempt
    const key = JSON.stringify([account, delivery.channel, outcome])
    counts.set(key, (counts.get(key) ?? 0) + 1)
    const alerts = isAboutChannel(delivery) ? undefined : alertsOf(account)
    const notified = notifiedBy(attempt, alerts)
    const observed = health.observe(attempt)
    await writes.add(() => database.call('recordAttempt', [attempt, notified, observed.after]))
    onAttempt(attempt)
    if (observed.before?.state !== observed.after.state || outcome === 'givenUp') await reportHealth(attempt, observed)
    if (alerts && outcome !== 'retry' && !isClosing()) void alerts.review({ incidents: [delivery.incident] })
  }

  /** Reports a channel that accepts no messages to the log, and to the channel named `fallback`. */
  async function reportHealth(attempt: DeliveryAttempt, { before, after }: ObservedHealth): Promise<void> {
    const { account, delivery, outcome, answer, at } = attempt
    const fields = { account, channel: delivery.channel, answer }
    if (after.state === 'ok') {
      if (!before) return
      log.info(fields, 'A channel works again.')
      return hurry(account, delivery.channel)
    }
    if (outcome === 'retry') return log.warn(fields, 'Could not deliver a message; retrying.')
    log.error(fields, outcome === 'givenUp' ? 'Gave up on a message after a day.' : 'A channel is broken; retrying every hour.')
    if (delivery.channel === fallbackChannel || !hasChannel(account, fallbackChannel)) return
    const notice = channelNotice(attempt)
    await writes.add(async () => {
      await database.call('commit', [{ ...emptyChange, account, deliveries: [notice], now: at }])
      send(account, notice)
    })
  }

  return {
    record,
    /** Attempts by account, channel and outcome. */
    counts: (): ReadonlyMap<string, number> => counts,
    health: health.of,
    /** Why a channel accepts no messages; null if no problem is known. */
    trouble(account: string, channel: string): string | null {
      const known = health.of(account).find((each) => each.channel === channel)
      if (!known || known.state === 'ok') return null
      return known.state === 'broken' ? `it is broken: ${known.answer}` : `it does not accept it yet: ${known.answer}`
    },
    broken: () => health.broken().filter(({ account, channel }) => hasChannel(account, channel)),
    /** Flushes pending writes. */
    close: writes.close,
  }
}

function notifiedBy({ outcome, delivery, at }: DeliveryAttempt, alerts: AccountAlerts | undefined): Notified | null {
  if (outcome === 'delivered') return alerts?.delivered(delivery, at) ?? null
  return outcome === 'givenUp' ? (alerts?.givenUp(delivery, at) ?? null) : null
}

type ObservedHealth = { readonly before: ChannelHealth | undefined; readonly after: ChannelHealth }

/** Tracks the health of channels by the outcomes of attempts, starting from the stored health. */
function createChannelHealth(stored: readonly ChannelHealth[]) {
  const channels = new Map(stored.map((each) => [channelKey(each), each]))
  return {
    /** A broken channel stays so until it accepts a message. */
    observe({ account, delivery: { channel }, outcome, answer, at }: DeliveryAttempt): ObservedHealth {
      const key = channelKey({ account, channel })
      const before = channels.get(key)
      const isBroken = outcome === 'broken' || before?.state === 'broken'
      const state = outcome === 'delivered' ? 'ok' : isBroken ? 'broken' : 'failing'
      const since = before?.state === state ? before.since : at
      const after: ChannelHealth = { account, channel, state, since, answer, lastAt: at }
      channels.set(key, after)
      return { before, after }
    },
    of: (account: string): readonly ChannelHealth[] => [...channels.values()].filter((each) => each.account === account),
    broken: (): readonly ChannelHealth[] => [...channels.values()].filter(({ state }) => state === 'broken'),
  }
}
