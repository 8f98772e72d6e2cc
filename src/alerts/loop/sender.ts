import { backoffMs, jittered } from '../../concurrency/backoff.ts'
import { dayMs, hourMs, minuteMs } from '../../time.ts'
import type { ChannelSettings, ChannelType, DeliveryOutcome, Transport } from '../channels/channel.ts'
import type { Delivery } from '../decide/model.ts'
import type { Attempt, WaitingDelivery } from '../outbox/alert-database.ts'

/** Delivers messages: within the limits of their channel, again after failures, until they are delivered, superseded or given up. */
export type Sender = {
  /** Sends it once it is due. */
  add(waiting: WaitingDelivery): void
  /** It is not sent any more. */
  remove(delivery: Delivery): void
  /** Whether an attempt is under way. */
  isAttempting(delivery: Delivery): boolean
  /** Tries what waits for this channel at once, as after its settings were changed. */
  hurry(account: string, channel: string): void
  /** When the oldest message that waits was decided; null without any. */
  oldestWaiting(): number | null
  waiting(): number
  /** Interrupts attempts; what is not delivered stays in the outbox. */
  close(): Promise<void>
}

export type ChannelTarget = { readonly channelType: ChannelType; readonly settings: ChannelSettings }

export type SenderOptions = {
  readonly now: () => number
  readonly transport: Transport
  /** Undefined where the config file no longer has it. */
  readonly target: (account: string, channel: string) => ChannelTarget | undefined
  /** Before another attempt: whether the message is still to be sent. */
  readonly isStillDue: (account: string, delivery: Delivery) => Promise<boolean>
  /** Resolves once the outcome is on disk. */
  readonly record: (attempt: Attempt) => Promise<void>
  /** An attempt failed for a reason that is not the channel's. */
  readonly onFailure: (error: unknown, waiting: WaitingDelivery) => void
}

const firstRetryMs = 5_000
const brokenRetryMs = hourMs
const giveUpMs = dayMs

type Queue = {
  readonly waiting: Map<string, WaitingDelivery>
  readonly attempting: Set<string>
  /** When attempts of the last minute began. */
  sentAt: number[]
  timer: NodeJS.Timeout | undefined
}

export function createSender({ now, transport, target, isStillDue, record, onFailure }: SenderOptions): Sender {
  const queues = new Map<string, Queue>()
  const running = new Set<Promise<void>>()
  const closing = new AbortController()

  function queueOf(account: string, channel: string): Queue {
    const key = JSON.stringify([account, channel])
    const known: Queue = queues.get(key) ?? { waiting: new Map(), attempting: new Set(), sentAt: [], timer: undefined }
    queues.set(key, known)
    return known
  }

  /** Starts what is due and within the limits, and looks again when the next one is. */
  function pump(queue: Queue): void {
    clearTimeout(queue.timer)
    if (closing.signal.aborted) return
    const due = [...queue.waiting.values()].filter(({ delivery }) => !queue.attempting.has(delivery.message.id))
    let next = Number.POSITIVE_INFINITY
    for (const each of due.sort((a, b) => a.nextAt - b.nextAt)) {
      const at = Math.max(each.nextAt, freeAt(queue, each))
      if (at <= now()) start(queue, each)
      else next = Math.min(next, at)
    }
    if (next < Number.POSITIVE_INFINITY) queue.timer = setTimeout(pump, Math.min(next - now(), minuteMs), queue).unref()
  }

  /** When the limits of the channel allow another attempt. An attempt that ends looks again by itself. */
  function freeAt(queue: Queue, { account, delivery }: WaitingDelivery): number {
    const limits = target(account, delivery.channel)?.channelType.limits
    if (!limits) return 0
    if (queue.attempting.size >= limits.concurrent) return Number.POSITIVE_INFINITY
    queue.sentAt = queue.sentAt.filter((at) => at > now() - minuteMs && at <= now())
    return queue.sentAt.length < limits.perMinute ? 0 : (queue.sentAt.at(-limits.perMinute) as number) + minuteMs
  }

  function start(queue: Queue, waiting: WaitingDelivery): void {
    const { id } = waiting.delivery.message
    queue.attempting.add(id)
    queue.sentAt.push(now())
    const attempt = attemptOnce(queue, waiting)
      .catch((error) => {
        onFailure(error, waiting)
        if (queue.waiting.has(id)) queue.waiting.set(id, { ...waiting, nextAt: now() + minuteMs })
      })
      .finally(() => {
        queue.attempting.delete(id)
        running.delete(attempt)
        pump(queue)
      })
    running.add(attempt)
  }

  async function attemptOnce(queue: Queue, waiting: WaitingDelivery): Promise<void> {
    const { account, delivery, attempts } = waiting
    const { id } = delivery.message
    if (attempts > 0 && !(await isStillDue(account, delivery))) return void queue.waiting.delete(id)
    const outcome = await deliver(waiting)
    const at = now()
    const nextAt = outcome.outcome === 'delivered' ? null : retryAt(outcome, { at, attempts, since: delivery.decidedAt })
    const isOver = nextAt === null
    if (isOver) queue.waiting.delete(id)
    else if (queue.waiting.has(id)) queue.waiting.set(id, { ...waiting, attempts: attempts + 1, nextAt })
    const state = isOver && outcome.outcome !== 'delivered' ? 'givenUp' : outcome.outcome
    await record({ account, delivery, at, outcome: state, answer: outcome.answer, nextAt })
  }

  async function deliver({ account, delivery }: WaitingDelivery): Promise<DeliveryOutcome> {
    const found = target(account, delivery.channel)
    if (!found) return { outcome: 'broken', answer: 'The config file no longer has this channel.' }
    return found.channelType.deliver(delivery.message, found.settings, transport, closing.signal)
  }

  return {
    add(waiting) {
      const queue = queueOf(waiting.account, waiting.delivery.channel)
      queue.waiting.set(waiting.delivery.message.id, waiting)
      pump(queue)
    },
    remove({ message }) {
      for (const queue of queues.values()) queue.waiting.delete(message.id)
    },
    isAttempting: ({ message }) => [...queues.values()].some(({ attempting }) => attempting.has(message.id)),
    hurry(account, channel) {
      const queue = queueOf(account, channel)
      for (const [id, waiting] of queue.waiting) queue.waiting.set(id, { ...waiting, nextAt: now() })
      pump(queue)
    },
    oldestWaiting() {
      const all = [...queues.values()].flatMap(({ waiting }) => [...waiting.values()])
      return all.length === 0 ? null : Math.min(...all.map(({ delivery }) => delivery.decidedAt))
    },
    waiting: () => [...queues.values()].reduce((sum, { waiting }) => sum + waiting.size, 0),
    async close() {
      closing.abort(new Error('The server is shutting down.'))
      for (const { timer } of queues.values()) clearTimeout(timer)
      await Promise.allSettled(running)
    },
  }
}

type Failed = { readonly at: number; readonly attempts: number; readonly since: number }

/** Null after a day, when it is given up. */
function retryAt(outcome: Exclude<DeliveryOutcome, { readonly outcome: 'delivered' }>, { at, attempts, since }: Failed): number | null {
  if (at - since >= giveUpMs) return null
  if (outcome.outcome === 'broken') return at + brokenRetryMs
  const own = jittered(backoffMs(attempts + 1, { firstMs: firstRetryMs, maxMs: 4 * hourMs }))
  return at + Math.ceil(Math.max(own, outcome.afterMs ?? 0))
}
