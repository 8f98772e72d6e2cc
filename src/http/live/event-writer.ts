import type { CheckRef, FiledResult, NewResult } from '../../store/store.ts'
import type { LiveAlert } from './live-alert.ts'
import type { Range } from './missed-ranges.ts'
import type { AlertChunk, ReplayBuffer, ReplayChunk, ResultChunk } from './replay-buffer.ts'

export type StreamFilter = {
  /** Filters with equal keys accept the same items. */
  readonly key: string
  acceptsCheck(check: CheckRef): boolean
  acceptsResult(result: NewResult): boolean
  /** Absent for a client that wants no alerts. */
  acceptsAlert?(alert: LiveAlert): boolean
}

/** Encoded events, and the position after them. */
export type Events = { readonly bytes: Buffer; readonly position: number }

/** Encodes the items of a buffer as server-sent events. The id of an event is the position after it. */
export type EventWriter = {
  /** The position to resume from. An id of another writer gives −1, which no buffer holds, and so leads to a reset. */
  positionOf(lastEventId: string | null): number
  opening(position: number): Buffer
  heartbeat(position: number): Buffer
  /** The next events, up to about `maxLength` characters. Starts with a reset if results were dropped. */
  eventsAfter(position: number, filter: StreamFilter, maxLength: number): Events
}

type Options = {
  readonly account: string
  /** Prefix of event ids. Ids from before a restart have another one, and are not resumed. */
  readonly id: string
  readonly buffer: ReplayBuffer
  readonly format: (filed: FiledResult) => string | null
}

export function createEventWriter({ account, id, buffer, format }: Options): EventWriter {
  const idLine = (position: number) => `id: ${id}-${position}\n`
  const eventAt = (chunk: ResultChunk, i: number): string => {
    const known = chunk.events[i]
    if (known !== undefined) return known
    const data = format(chunk.filed[i] as FiledResult)
    const event = data === null ? '' : `event: result\n${idLine(chunk.first + i + 1)}data: ${data}\n\n`
    chunk.events[i] = event
    return event
  }
  const alertEvent = (chunk: AlertChunk): string => {
    const { name, data } = chunk.alert
    chunk.event ??= `event: ${name}\n${idLine(chunk.end)}data: ${data()}\n\n`
    return chunk.event
  }
  const resetAfter = (position: number, { acceptsCheck, acceptsAlert }: StreamFilter): string => {
    const missed = position < 0 ? null : missedChecks(buffer.missedSince(position), (checkId) => acceptsCheck({ account, checkId }))
    const alerts = acceptsAlert !== undefined && (position < 0 || buffer.hasMissedAlerts(position))
    if (missed?.length === 0 && !alerts) return ''
    return `event: reset\n${idLine(buffer.first())}data: ${resetData(missed, alerts)}\n\n`
  }
  const textOf = (chunk: ReplayChunk, first: number, filter: StreamFilter, room: number): { text: string; position: number } => {
    if ('alert' in chunk) return { text: filter.acceptsAlert?.(chunk.alert) ? alertEvent(chunk) : '', position: chunk.end }
    if (!filter.acceptsCheck(chunk.check)) return { text: '', position: chunk.end }
    let text = ''
    let position = first
    for (; position < chunk.end && text.length < room; position++) {
      const i = position - chunk.first
      if (filter.acceptsResult((chunk.filed[i] as FiledResult).result)) text += eventAt(chunk, i)
    }
    return { text, position }
  }
  return {
    positionOf(lastEventId) {
      if (lastEventId === null) return buffer.end()
      const [, writer, position] = /^(\w+)-(\d{1,15})$/.exec(lastEventId) ?? []
      return writer === id && Number(position) <= buffer.end() ? Number(position) : -1
    },
    opening: (position) => Buffer.from(`retry: 2000\n${position < 0 ? '\n' : `event: open\n${idLine(position)}data: {}\n\n`}`),
    heartbeat: (position) => Buffer.from(`: heartbeat\n${idLine(position)}\n`),
    eventsAfter(from, filter, maxLength) {
      let text = from < buffer.first() ? resetAfter(from, filter) : ''
      let position = Math.max(from, buffer.first())
      for (const chunk of buffer.chunksFrom(position)) {
        const next = textOf(chunk, position, filter, maxLength - text.length)
        text += next.text
        position = next.position
        if (text.length >= maxLength) break
      }
      return { bytes: Buffer.from(text), position }
    },
  }
}

type MissedCheck = { readonly checkId: string; readonly from: number; readonly to: number }

/** In unix seconds, with an exclusive `to`, as the parameters of check-results. */
function missedChecks(ranges: ReadonlyMap<string, Range>, accepts: (checkId: string) => boolean): readonly MissedCheck[] {
  return [...ranges]
    .filter(([checkId]) => accepts(checkId))
    .map(([checkId, { from, to }]) => ({ checkId, from: Math.floor(from / 1000), to: Math.floor(to / 1000) + 1 }))
}

/** `missed` is null if the missed ranges are unknown; `alerts` is sent only to clients that may have missed some. */
function resetData(missed: readonly MissedCheck[] | null, alerts: boolean): string {
  const message = missed
    ? 'Results were skipped. Read them with GET /v2/check-results/{checkId} and these from and to.'
    : 'Results before this were skipped. Read them with GET /v2/check-results/{checkId}.'
  return JSON.stringify({ message: alerts ? `${message} So were alerts: GET /v1/alerts.` : message, missed, ...(alerts && { alerts }) })
}
