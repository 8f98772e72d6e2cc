import { backoffMs, jittered } from '../../concurrency/backoff.ts'
import { dayMs, hourMs, minuteMs } from '../../time.ts'
import type { ChannelSettings, ChannelType, DeliveryOutcome, Transport } from '../channels/channel.ts'
import type { Progress } from '../decide/input.ts'
import type { Delivery } from '../decide/model.ts'
import { channelKey, type DeliveryAttempt, type WaitingDelivery } from '../outbox/alert-records.ts'

/** Delivers messages: within the rate limits of their channel, with retries, until they are delivered, superseded or given up. */
type Sender = {
  /** Sends a message once it is due. The first attempt of a new one skips `isStillDue`. */
  add(waiting: WaitingDelivery): void
  remove(account: string, delivery: Delivery): void
  progress(account: string, delivery: Delivery): Progress
  /** Retries the messages of this channel at once, for example after a change of its settings. */
  hurry(account: string, channel: string): void
  /** When the oldest waiting message that is not held was decided; null if there is none. */
  oldestWaiting(): number | null
  waiting(): number
  /** Whether due messages of an account are attempted, whatever the outcome. */
  isMoving(account: string): boolean
  /** Aborts attempts; undelivered messages stay in the outbox. */
  close(): Promise<void>
}

/** Whether to send a message now, later or never. */
export type StillDue = 'due' | 'held' | 'over'

export type ChannelTarget = { readonly channelType: ChannelType; readonly settings: ChannelSettings }

type SenderOptions = {
  readonly now: () => number
  readonly transport: Transport
  /** Undefined if the config file no longer has the channel. */
  readonly target: (account: string, channel: string) => ChannelTarget | undefined
  /** Called before an attempt, except the first one of a new message. */
  readonly isStillDue: (account: string, delivery: Delivery) => Promise<StillDue>
  /** Resolves once the outcome is on disk. */
  readonly record: (attempt: DeliveryAttempt) => Promise<void>
  /** Called if an attempt failed for a reason other than the channel. */
  readonly onFailure: (error: unknown, waiting: WaitingDelivery) => void
}

const firstRetryMs = 5_000
const brokenRetryMs = hourMs
const giveUpMs = dayMs
/** A queue is stuck if a message was due for this long without any attempt. */
const stuckMs = 10 * minuteMs
/** How often held messages are checked again. */
const heldMs = 10_000

/** `triedSince`: the start of the day of attempts after which it is given up. */
type Waiting = WaitingDelivery & { readonly triedSince: number }

type Queue = {
  readonly account: string
  readonly waiting: Map<string, Waiting>
  /** Ids of due messages, in their order. */
  readonly due: Set<string>
  /** Messages that are due later, the next one last. An entry counts only if its message still waits for that time. */
  readonly later: { readonly id: string; readonly at: number }[]
  /** Ids of messages in `isStillDue` or in an attempt. */
  readonly busy: Set<string>
  readonly attempting: Set<string>
  /** Since when messages are held, by id. */
  readonly held: Map<string, number>
  /** When attempts of the last minute began. */
  sentAt: number[]
  lastAttemptAt: number
  /** The last reading of the clock. */
  clockAt: number
  timer: NodeJS.Timeout | undefined
}

export function createSender({ now, transport, target, isStillDue, record, onFailure }: SenderOptions): Sender {
  const queues = new Map<string, Queue>()
  const running = new Set<Promise<void>>()
  const closing = new AbortController()

  function queueOf(account: string, channel: string): Queue {
    const key = channelKey({ account, channel })
    const known = queues.get(key) ?? newQueue(account)
    queues.set(key, known)
    return known
  }

  function put(queue: Queue, waiting: Waiting): void {
    const { id } = waiting.delivery.message
    queue.waiting.set(id, waiting)
    queue.due.delete(id)
    if (waiting.nextAt <= now()) queue.due.add(id)
    else insertLater(queue.later, { id, at: waiting.nextAt })
  }

  /** Where the clock was set back, moves all times with it: nothing waits longer. */
  function followClock(queue: Queue): void {
    const backMs = queue.clockAt - now()
    queue.clockAt = now()
    if (backMs <= 0) return
    queue.lastAttemptAt -= backMs
    queue.sentAt = queue.sentAt.map((at) => at - backMs)
    queue.later.length = 0
    for (const [id, since] of queue.held) queue.held.set(id, since - backMs)
    for (const [id, waiting] of queue.waiting) {
      const moved = { ...waiting, nextAt: waiting.nextAt - backMs, triedSince: waiting.triedSince - backMs }
      if (queue.due.has(id)) queue.waiting.set(id, moved)
      else put(queue, moved)
    }
  }

  function drop({ waiting, due, held }: Queue, id: string): void {
    for (const each of [waiting, due, held]) each.delete(id)
  }

  /**
   * Starts attempts of due messages, within the limits, and sets the timer for the next one. `fresh` is the id of a message decided just
   * now.
   */
  function pump(queue: Queue, fresh?: string): void {
    clearTimeout(queue.timer)
    if (closing.signal.aborted) return
    followClock(queue)
    for (let next = queue.later.at(-1); next && next.at <= now(); next = queue.later.at(-1)) {
      queue.later.pop()
      if (queue.waiting.get(next.id)?.nextAt === next.at) queue.due.add(next.id)
    }
    let freeAgainAt = Number.POSITIVE_INFINITY
    for (const id of queue.due) {
      const waiting = queue.waiting.get(id)
      if (!waiting || queue.busy.has(id)) {
        queue.due.delete(id)
        continue
      }
      freeAgainAt = freeAt(queue, waiting)
      if (freeAgainAt > now()) break
      queue.due.delete(id)
      start(queue, waiting, id === fresh)
    }
    const next = Math.min(queue.due.size > 0 ? freeAgainAt : Number.POSITIVE_INFINITY, queue.later.at(-1)?.at ?? Number.POSITIVE_INFINITY)
    if (next < Number.POSITIVE_INFINITY) queue.timer = setTimeout(pump, Math.min(next - now(), minuteMs), queue).unref()
  }

  /** When the limits allow another attempt. Infinity at the concurrency limit: the end of an attempt pumps the queue. */
  function freeAt(queue: Queue, { account, delivery }: WaitingDelivery): number {
    const limits = target(account, delivery.channel)?.channelType.limits ?? withoutTarget
    if (queue.busy.size >= limits.concurrent) return Number.POSITIVE_INFINITY
    queue.sentAt = queue.sentAt.filter((at) => at > now() - minuteMs && at <= now())
    return queue.sentAt.length < limits.perMinute ? 0 : (queue.sentAt.at(-limits.perMinute) as number) + minuteMs
  }

  function start(queue: Queue, waiting: Waiting, isFresh: boolean): void {
    const { id } = waiting.delivery.message
    queue.busy.add(id)
    queue.sentAt.push(now())
    queue.lastAttemptAt = now()
    const attempt = attemptOnce(queue, waiting, isFresh)
      .catch((error) => {
        onFailure(error, waiting)
        if (queue.waiting.has(id)) put(queue, { ...waiting, mayHaveArrived: true, nextAt: now() + minuteMs })
      })
      .finally(() => {
        queue.busy.delete(id)
        queue.attempting.delete(id)
        running.delete(attempt)
        pump(queue)
      })
    running.add(attempt)
  }

  async function attemptOnce(queue: Queue, waiting: Waiting, isFresh: boolean): Promise<void> {
    const { account, delivery, attempts } = waiting
    const { id } = delivery.message
    const due = isFresh ? 'due' : await isStillDue(account, delivery)
    if (due === 'over' || !queue.waiting.has(id)) return drop(queue, id)
    const heldSince = queue.held.get(id) ?? now()
    const triedBefore = queue.held.has(id) ? waiting.triedSince : triedFrom(waiting, now())
    if (due === 'held') {
      queue.held.set(id, heldSince)
      return put(queue, { ...waiting, nextAt: now() + heldMs, triedSince: triedBefore })
    }
    queue.held.delete(id)
    const triedSince = triedBefore + now() - heldSince
    queue.attempting.add(id)
    const outcome = await deliver(waiting)
    const at = now()
    const nextAt = outcome.outcome === 'delivered' ? null : retryAt(outcome, { at, attempts, since: triedSince })
    const isOver = nextAt === null
    const mayHaveArrived = waiting.mayHaveArrived || (outcome.outcome === 'retry' && !outcome.isUnsent)
    if (isOver) drop(queue, id)
    else if (queue.waiting.has(id)) put(queue, { ...waiting, attempts: attempts + 1, mayHaveArrived, nextAt, triedSince })
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
      followClock(queue)
      put(queue, { ...waiting, triedSince: Math.min(waiting.delivery.decidedAt, now()) })
      pump(queue, waiting.mayHaveArrived ? undefined : waiting.delivery.message.id)
    },
    remove: (account, { channel, message }) => drop(queueOf(account, channel), message.id),
    progress(account, { channel, message: { id } }) {
      const { attempting, waiting } = queueOf(account, channel)
      if (attempting.has(id)) return 'attempting'
      return waiting.get(id)?.mayHaveArrived === false ? 'unsent' : 'uncertain'
    },
    hurry(account, channel) {
      const queue = queueOf(account, channel)
      followClock(queue)
      for (const waiting of queue.waiting.values()) if (waiting.nextAt > now()) put(queue, { ...waiting, nextAt: now() })
      pump(queue)
    },
    oldestWaiting() {
      let oldest = Number.POSITIVE_INFINITY
      for (const { waiting, held } of queues.values())
        for (const [id, { delivery }] of waiting) if (!held.has(id)) oldest = Math.min(oldest, delivery.decidedAt)
      return oldest === Number.POSITIVE_INFINITY ? null : oldest
    },
    isMoving: (account) =>
      [...queues.values()].every((queue) => {
        if (queue.account !== account) return true
        followClock(queue)
        return !isStuck(queue, now())
      }),
    waiting: () => [...queues.values()].reduce((sum, { waiting }) => sum + waiting.size, 0),
    async close() {
      closing.abort(new Error('The server is shutting down.'))
      for (const { timer } of queues.values()) clearTimeout(timer)
      await Promise.allSettled(running)
    },
  }
}

const withoutTarget = { concurrent: 4, perMinute: 300 }

function isStuck({ waiting, busy, lastAttemptAt }: Queue, now: number): boolean {
  if (now - lastAttemptAt < stuckMs) return false
  for (const [id, { nextAt }] of waiting) if (!busy.has(id) && now - nextAt >= stuckMs) return true
  return false
}

function newQueue(account: string): Queue {
  return {
    account,
    waiting: new Map(),
    due: new Set(),
    later: [],
    busy: new Set(),
    attempting: new Set(),
    held: new Map(),
    sentAt: [],
    lastAttemptAt: Number.NEGATIVE_INFINITY,
    clockAt: Number.NEGATIVE_INFINITY,
    timer: undefined,
  }
}

function insertLater(later: Queue['later'], entry: Queue['later'][number]): void {
  let [low, high] = [0, later.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((later[middle]?.at ?? 0) > entry.at) low = middle + 1
    else high = middle
  }
  later.splice(low, 0, entry)
}

/** Time in which a message was due and nobody tried it does not count: the process may not have run. */
function triedFrom({ nextAt, triedSince }: Waiting, now: number): number {
  const untriedMs = now - Math.max(nextAt, triedSince)
  return untriedMs >= stuckMs ? triedSince + untriedMs : triedSince
}

type Failed = { readonly at: number; readonly attempts: number; readonly since: number }

/** Null after a day: the message is given up. */
function retryAt(outcome: Exclude<DeliveryOutcome, { readonly outcome: 'delivered' }>, { at, attempts, since }: Failed): number | null {
  if (at - since >= giveUpMs) return null
  if (outcome.outcome === 'broken') return at + brokenRetryMs
  const own = jittered(backoffMs(attempts + 1, { firstMs: firstRetryMs, maxMs: 4 * hourMs }))
  return at + Math.ceil(Math.max(own, outcome.afterMs ?? 0))
}
