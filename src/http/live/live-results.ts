import type { FiledResult, Store } from '../../store/store.ts'
import { createReplayBuffer, type ReplayBuffer } from './replay-buffer.ts'

/** One client that follows the results of an account. */
export type Follower = {
  /** Whether it may still read: its key can be deleted while it follows. */
  mayRead(): boolean
  accepts(filed: FiledResult): boolean
  /** False asks to stop until `resume` of its subscription is called. */
  write(text: string): boolean
  end(): void
}

export type Subscription = { resume(): void; close(): void }

export type LiveResults = {
  /** Follows the results of an account from the event with that id on; from now on where it is null. */
  follow(account: string, lastEventId: string | null, follower: Follower): Subscription
  /** Ends all followers. */
  close(): void
}

type Options = {
  readonly store: Pick<Store, 'onAppended'>
  /** The data of an event; null for a result that nobody should see. Called once for each result that any follower accepts. */
  readonly format: (filed: FiledResult) => string | null
  readonly newId: () => string
  readonly limits?: { readonly items: number; readonly bytes: number }
}

type Entry = { readonly filed: FiledResult; text: string | null }
type Reader = { readonly follower: Follower; position: number; isBlocked: boolean }
type Channel = {
  /** Event ids are of one channel: those of an earlier start of the server, say, are not. */
  readonly id: string
  readonly buffer: ReplayBuffer<Entry>
  readonly readers: Set<Reader>
  expiry: NodeJS.Timeout | undefined
}

const replayLimits = { items: 10_000, bytes: 8 * 2 ** 20 }
/** How long results are kept for clients to come back after the last one has gone. */
const replayMs = 5 * 60_000
export const heartbeatMs = 15_000
/** Results are sent at most so often: many small commits share one write to each client. */
const pumpMs = 100
/** What a client is sent at a time, so that a flood of results neither fills memory nor blocks this thread. */
const maxResultsPerWrite = 1000
const maxWriteLength = 256 * 1024

/**
 * Announces stored results to those who follow them. Accounts that nobody follows cost nothing. Ingest only adds to a bounded buffer;
 * each follower has a position in it, and one whose position was dropped is told so by a `reset`.
 */
export function createLiveResults({ store, format, newId, limits = replayLimits }: Options): LiveResults {
  const channels = new Map<string, Channel>()
  let timer: NodeJS.Timeout | undefined

  const stopListening = store.onAppended((added) => {
    for (const { check, result } of added)
      channels.get(check.account)?.buffer.push({ filed: { check, result }, text: null }, bytesOf({ check, result }))
    schedule()
  })
  const schedule = () => {
    if (channels.size > 0) timer ??= setTimeout(pumpAll, pumpMs).unref()
  }
  const pumpAll = () => {
    timer = undefined
    for (const channel of channels.values()) for (const reader of channel.readers) pump(channel, reader)
  }
  const pump = (channel: Channel, reader: Reader) => {
    const { follower } = reader
    if (!follower.mayRead()) {
      channel.readers.delete(reader)
      reader.isBlocked = true
      return follower.end()
    }
    if (reader.isBlocked) return
    const text = nextText(channel, reader, format)
    if (text !== '') reader.isBlocked = !follower.write(text)
    if (reader.position < channel.buffer.end() && !reader.isBlocked) schedule()
  }
  const heartbeat = setInterval(() => {
    for (const channel of channels.values()) {
      for (const reader of channel.readers) {
        pump(channel, reader)
        if (!reader.isBlocked) reader.isBlocked = !reader.follower.write(`: heartbeat\n${idLine(channel, reader.position)}\n`)
      }
    }
  }, heartbeatMs).unref()
  const channelOf = (account: string): Channel => {
    const existing = channels.get(account)
    if (existing) return existing
    const channel: Channel = { id: newId(), buffer: createReplayBuffer(limits), readers: new Set(), expiry: undefined }
    channels.set(account, channel)
    return channel
  }

  return {
    follow(account, lastEventId, follower) {
      const channel = channelOf(account)
      clearTimeout(channel.expiry)
      const reader = { follower, position: startOf(channel, lastEventId), isBlocked: false }
      channel.readers.add(reader)
      reader.isBlocked = !follower.write(`retry: 2000\n${reader.position < 0 ? '\n' : openEvent(channel, reader.position)}`)
      pump(channel, reader)
      return {
        resume() {
          reader.isBlocked = false
          schedule()
        },
        close() {
          channel.readers.delete(reader)
          if (channel.readers.size === 0) channel.expiry = setTimeout(() => channels.delete(account), replayMs).unref()
        },
      }
    },
    close() {
      stopListening()
      clearTimeout(timer)
      clearInterval(heartbeat)
      for (const { readers, expiry } of channels.values()) {
        clearTimeout(expiry)
        for (const { follower } of readers) follower.end()
      }
      channels.clear()
    },
  }
}

/** The position to go on from; −1, which no buffer holds, for an id that is not of this channel. */
function startOf({ id, buffer }: Channel, lastEventId: string | null): number {
  if (lastEventId === null) return buffer.end()
  const [, channel, position] = /^(\w+)-(\d{1,15})$/.exec(lastEventId) ?? []
  return channel === id && Number(position) <= buffer.end() ? Number(position) : -1
}

/** The next events of a reader, and moves it behind them; a reset comes first where results before them were dropped. */
function nextText(channel: Channel, reader: Reader, format: Options['format']): string {
  const { buffer } = channel
  let text = ''
  if (reader.position < buffer.first()) {
    reader.position = buffer.first()
    text = `event: reset\n${idLine(channel, reader.position)}data: ${resetData}\n\n`
  }
  const end = Math.min(buffer.end(), reader.position + maxResultsPerWrite)
  for (; reader.position < end && text.length < maxWriteLength; reader.position++) {
    const entry = buffer.at(reader.position)
    if (!entry || !reader.follower.accepts(entry.filed)) continue
    entry.text ??= eventText(format(entry.filed), idLine(channel, reader.position + 1))
    text += entry.text
  }
  return text
}

const resetData = JSON.stringify({ message: 'Results before this were skipped. Ask for them with GET /v2/check-results/{id}.' })

/** The id of an event is the position behind it. */
const idLine = ({ id }: Channel, position: number) => `id: ${id}-${position}\n`

/** Tells a client where it starts, so that it can go on from there even where no result comes. */
const openEvent = (channel: Channel, position: number) => `event: open\n${idLine(channel, position)}data: {}\n\n`

const eventText = (data: string | null, id: string) => (data === null ? '' : `event: result\n${id}data: ${data}\n\n`)

/** About the length of its event. */
function bytesOf({ result: { error, pages } }: FiledResult): number {
  return pages.reduce((sum, { pageUrl }) => sum + pageUrl.length + 100, 600 + (error?.length ?? 0))
}
