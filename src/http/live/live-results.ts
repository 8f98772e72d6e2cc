import type { FiledResult, Store } from '../../store/store.ts'
import { createEventWriter, type Events, type EventWriter, type StreamFilter } from './event-writer.ts'
import type { LiveAlert } from './live-alert.ts'
import { byCheck, createReplayBuffer, type ReplayBuffer, type ReplayLimits } from './replay-buffer.ts'

/** A client that follows the results and alerts of an account. */
export type Follower = {
  /** Whether it may still read: its key can be deleted while it follows. */
  mayRead(): boolean
  readonly filter: StreamFilter
  /** False asks to pause until `resume` of the subscription is called. */
  write(bytes: Uint8Array): boolean
  end(): void
}

export type Subscription = { resume(): void; close(): void }

type LiveResults = {
  /** Resumes after the event with that id; null starts with the next new result. */
  follow(account: string, lastEventId: string | null, follower: Follower): Subscription
  close(): void
}

type Options = {
  readonly store: Pick<Store, 'onAppended'>
  /** Calls back with the alert events of an account; returns an unsubscribe function. */
  readonly onAlert?: (account: string, announce: (alert: LiveAlert) => void) => () => void
  /** The data of an event; null for a result that nobody should see. Called once per result that any follower accepts. */
  readonly format: (filed: FiledResult) => string | null
  readonly newId: () => string
  /** How busy the event loop was since the last call, from 0 to 1. */
  readonly utilization?: () => number
  readonly limits?: ReplayLimits & { readonly bytesPerTick: number }
}

/** The live results of one account, shared by its followers. */
type Channel = {
  readonly id: string
  readonly buffer: ReplayBuffer
  readonly writer: EventWriter
  readonly stopListening: () => void
  followers: number
  expiry: NodeJS.Timeout | undefined
}
type Reader = { readonly channel: Channel; readonly follower: Follower; position: number; isBlocked: boolean }

const defaultLimits = {
  items: 10_000,
  bytes: 8 * 2 ** 20,
  /** Limit of bytes per tick for all clients together; less while the event loop is busy, so that streams do not slow ingest. */
  bytesPerTick: 4 * 2 ** 20,
}
/** How long results are kept for reconnecting clients after the last one has disconnected. */
const replayMs = 5 * 60_000
export const heartbeatMs = 15_000
/** The minimum interval between writes of results: many small commits share one write to each client. */
const tickMs = 250
/** The share of `bytesPerTick` that remains while the event loop is fully busy. */
const leastShare = 1 / 16
/** Bytes of one write to a client; the more clients wait, the fewer each gets. */
const writeLength = { least: 16 * 1024, most: 512 * 1024 }

/**
 * Publishes stored results to subscribers. Accounts without subscribers cost nothing. Ingest only adds to a bounded buffer;
 * each subscriber has a position in it, and one whose position was dropped gets a `reset` with the ranges that it has missed.
 */
export function createLiveResults(options: Options): LiveResults {
  const { store, onAlert, format, newId, utilization = loopUtilization(), limits = defaultLimits } = options
  const channels = new Map<string, Channel>()
  /** Round-robin order: the first one is served next. */
  const readers = new Set<Reader>()
  let timer: NodeJS.Timeout | undefined
  let isClosed = false

  const schedule = () => {
    if (readers.size > 0) timer ??= setTimeout(tick, tickMs).unref()
  }
  const tick = () => {
    timer = undefined
    const shared = new Map<string, Events>()
    const allowed = [...readers].filter((reader) => !endIfForbidden(reader))
    const waiting = allowed.filter(isWaiting)
    const bytes = limits.bytesPerTick * Math.max(1 - utilization(), leastShare)
    const maxLength = Math.min(Math.max(bytes / waiting.length, writeLength.least), writeLength.most)
    let budget = bytes
    for (const reader of waiting) if (budget > 0) budget -= serve(reader, maxLength, shared)
    if ([...readers].some(isWaiting)) schedule()
  }
  /** Sends the next events, and moves the reader behind all others. Readers with the same position and filter share encoded events. */
  const serve = (reader: Reader, maxLength: number, shared: Map<string, Events>): number => {
    const { channel, follower, position } = reader
    const key = `${channel.id} ${position} ${follower.filter.key}`
    const events = shared.get(key) ?? channel.writer.eventsAfter(position, follower.filter, maxLength)
    shared.set(key, events)
    reader.position = events.position
    readers.delete(reader)
    readers.add(reader)
    if (events.bytes.length > 0) reader.isBlocked = !follower.write(events.bytes)
    return events.bytes.length
  }
  const endIfForbidden = (reader: Reader): boolean => {
    if (reader.follower.mayRead()) return false
    readers.delete(reader)
    reader.follower.end()
    return true
  }
  const heartbeat = setInterval(() => {
    for (const reader of [...readers]) {
      if (endIfForbidden(reader) || reader.isBlocked) continue
      reader.isBlocked = !reader.follower.write(reader.channel.writer.heartbeat(reader.position))
    }
  }, heartbeatMs).unref()
  const channelOf = (account: string): Channel => {
    const existing = channels.get(account)
    if (existing) return existing
    const id = newId()
    const buffer = createReplayBuffer(limits)
    const writer = createEventWriter({ account, id, buffer, format })
    const stopResults = store.onAppended(account, (added, skipped) => {
      if (skipped) buffer.skip(skipped)
      for (const filed of byCheck(added)) buffer.push(filed)
      schedule()
    })
    const stopAlerts = onAlert?.(account, (alert) => {
      buffer.pushAlert(alert)
      schedule()
    })
    const stopListening = () => {
      stopResults()
      stopAlerts?.()
    }
    const channel: Channel = { id, buffer, writer, stopListening, followers: 0, expiry: undefined }
    channels.set(account, channel)
    return channel
  }
  const closeChannel = (account: string, { expiry, stopListening }: Channel) => {
    clearTimeout(expiry)
    stopListening()
    channels.delete(account)
  }

  return {
    follow(account, lastEventId, follower) {
      if (isClosed) {
        follower.end()
        return { resume: () => {}, close: () => {} }
      }
      const channel = channelOf(account)
      clearTimeout(channel.expiry)
      channel.followers++
      const position = channel.writer.positionOf(lastEventId)
      const reader: Reader = { channel, follower, position, isBlocked: false }
      readers.add(reader)
      reader.isBlocked = !follower.write(channel.writer.opening(position))
      if (isWaiting(reader)) serve(reader, writeLength.least, new Map())
      schedule()
      return {
        resume() {
          reader.isBlocked = false
          schedule()
        },
        close() {
          readers.delete(reader)
          if (--channel.followers === 0) channel.expiry = setTimeout(() => closeChannel(account, channel), replayMs).unref()
        },
      }
    },
    close() {
      isClosed = true
      clearTimeout(timer)
      clearInterval(heartbeat)
      for (const [account, channel] of channels) closeChannel(account, channel)
      for (const { follower } of readers) follower.end()
      readers.clear()
    },
  }
}

function loopUtilization(): () => number {
  let last = performance.eventLoopUtilization()
  return () => {
    const { utilization } = performance.eventLoopUtilization(last)
    last = performance.eventLoopUtilization()
    return utilization
  }
}

const isWaiting = ({ isBlocked, position, channel }: Reader) => !isBlocked && position < channel.buffer.end()
