import type { CheckRef, FiledResult, NewResult } from '../../store/store.ts'
import type { LiveAlert } from './live-alert.ts'
import type { Range } from './missed-ranges.ts'
import type { AlertChunk, ReplayBuffer, ReplayChunk, ResultChunk } from './replay-buffer.ts'

/** Which results and alerts a client wants. */
export type StreamFilter = {
  /** Filters with the same key accept the same. */
  readonly key: string
  acceptsCheck(check: CheckRef): boolean
  acceptsResult(result: NewResult): boolean
  /** Absent for a client that wants no alerts. */
  acceptsAlert?(alert: LiveAlert): boolean
}

/** Some events, and the position behind them. */
export type Events = { readonly bytes: Buffer; readonly position: number }

/** Writes the items of a buffer as server-sent events. The id of an event is the position behind it. */
export type EventWriter = {
  /** The position to go on from; −1, which no buffer holds, for an id that is not one of this writer's. */
  positionOf(lastEventId: string | null): number
  opening(position: number): Buffer
  heartbeat(position: number): Buffer
  /** The next events, until they are that long; a reset comes first where results were dropped. */
  eventsAfter(position: number, filter: StreamFilter, maxLength: number): Events
}

type Options = {
  readonly account: string
  /** Ids of events are of one writer: those of an earlier start of the server, say, are not. */
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

/** In the unit of `from` and `to` of check-results, where `to` is exclusive. */
function missedChecks(ranges: ReadonlyMap<string, Range>, accepts: (checkId: string) => boolean): readonly MissedCheck[] {
  return [...ranges]
    .filter(([checkId]) => accepts(checkId))
    .map(([checkId, { from, to }]) => ({ checkId, from: Math.floor(from / 1000), to: Math.floor(to / 1000) + 1 }))
}

/** `missed` is null where the missed ranges are not known; `alerts` is sent only to clients that may have missed some. */
function resetData(missed: readonly MissedCheck[] | null, alerts: boolean): string {
  const message = missed
    ? 'Results were skipped. Read them with GET /v2/check-results/{checkId} and these from and to.'
    : 'Results before this were skipped. Read them with GET /v2/check-results/{checkId}.'
  return JSON.stringify({ message: alerts ? `${message} So were alerts: GET /v1/alerts.` : message, missed, ...(alerts && { alerts }) })
}
