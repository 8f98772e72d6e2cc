import type { CheckRef, FiledResult, SkippedResults } from '../../store/store.ts'
import type { LiveAlert } from './live-alert.ts'
import { createMissedRanges, type Range, type RangesByCheck, widen } from './missed-ranges.ts'

type Numbered = { readonly first: number; readonly end: number; readonly bytes: number }

/** Items are numbered from `first` to `end`, exclusive. */
export type ReplayChunk = ResultChunk | AlertChunk

/** Consecutive results of one check. */
export type ResultChunk = Numbered & {
  readonly check: CheckRef
  readonly filed: readonly FiledResult[]
  readonly started: Range
  /** The encoded event of each result, filled on first use. */
  readonly events: (string | undefined)[]
}

export type AlertChunk = Numbered & {
  readonly alert: LiveAlert
  /** The encoded event, filled on first use. */
  event: string | undefined
}

/** Bounded buffer of the newest results and alert events, numbered in the order of arrival. Beyond the limits the oldest are dropped. */
export type ReplayBuffer = {
  /** The number of the oldest item that is kept. */
  first(): number
  /** The number of the next item. */
  end(): number
  push(filed: readonly FiledResult[]): void
  pushAlert(alert: LiveAlert): void
  /** Counts these results as if they had been added and dropped, together with all items before them. */
  skip(skipped: SkippedResults): void
  /** The chunk with this number, and all later ones. */
  chunksFrom(number: number): Generator<ReplayChunk>
  /** Start times of the dropped results from this number on, by check. Ranges may be wider than needed. */
  missedSince(number: number): RangesByCheck
  /** Whether an alert event from this number on was dropped. */
  hasMissedAlerts(number: number): boolean
}

export type ReplayLimits = { readonly items: number; readonly bytes: number }

export function createReplayBuffer({ items, bytes: maxBytes }: ReplayLimits, monotonic = () => performance.now()): ReplayBuffer {
  const missed = createMissedRanges()
  const itemsToKeep = createItemLimit(items, monotonic)
  let chunks: ReplayChunk[] = []
  /** Chunks before this index are dropped. The array is cut only once they are more than half of it. */
  let head = 0
  let first = 0
  let end = 0
  let bytes = 0
  /** The number after the last dropped alert event. */
  let alertsDropped = 0

  const dropOldest = (oldest: ReplayChunk) => {
    if ('alert' in oldest) alertsDropped = oldest.end
    else missed.add(new Map([[oldest.check.checkId, oldest.started]]), oldest.end)
    bytes -= oldest.bytes
    first = Math.max(first, oldest.end)
    head++
  }
  const dropSurplus = () => {
    for (let oldest = chunks[head]; oldest && (oldest.end <= first || bytes > maxBytes); oldest = chunks[head]) dropOldest(oldest)
    if (head <= chunks.length / 2) return
    chunks = chunks.slice(head)
    head = 0
  }
  const add = (chunk: ReplayChunk) => {
    chunks.push(chunk)
    bytes += chunk.bytes
    first = Math.max(first, chunk.end - itemsToKeep(chunk.end - end))
    end = chunk.end
    dropSurplus()
  }
  return {
    first: () => first,
    end: () => end,
    push: (filed) => add(toChunk(filed, end)),
    pushAlert: (alert) => add({ alert, first: end, end: end + 1, bytes: alert.bytes, event: undefined }),
    skip({ results, byCheck }) {
      first = end
      dropSurplus()
      end += results
      first = end
      missed.add(byCheck, end)
    },
    *chunksFrom(number) {
      for (let i = chunkIndex(chunks, number, head); i < chunks.length; i++) yield chunks[i] as ReplayChunk
    },
    missedSince(number) {
      const ranges = missed.since(number)
      const oldest = chunks[head]
      if (oldest && 'check' in oldest && oldest.first < first) widen(ranges, oldest.check.checkId, oldest.started)
      return ranges
    },
    hasMissedAlerts: (number) => number < alertsDropped,
  }
}

const floodMs = 250
const floodShare = 1 / 10

/**
 * How many items to keep. Fewer while items arrive faster than they can be sent: every kept item survives garbage collection, which would
 * slow ingest.
 */
function createItemLimit(items: number, monotonic: () => number): (added: number) => number {
  let limit = items
  let counted = 0
  let since = monotonic()
  let wasFlood = false
  return (added) => {
    counted += added
    const elapsed = monotonic() - since
    if (elapsed < floodMs) return limit
    const isFlood = counted > (items * elapsed) / floodMs
    limit = isFlood && wasFlood ? Math.ceil(items * floodShare) : items
    wasFlood = isFlood
    counted = 0
    since += elapsed
    return limit
  }
}

function toChunk(filed: readonly FiledResult[], first: number): ResultChunk {
  const { check } = filed[0] as FiledResult
  let bytes = 0
  let from = Number.POSITIVE_INFINITY
  let to = Number.NEGATIVE_INFINITY
  for (const each of filed) {
    bytes += bytesOf(each)
    from = Math.min(from, each.result.startedAt)
    to = Math.max(to, each.result.startedAt)
  }
  const results = filed.some(({ evidence }) => evidence) ? filed.map(withoutEvidence) : filed
  return { check, filed: results, first, end: first + filed.length, bytes, started: { from, to }, events: [] }
}

/** Drops evidence, which is not sent and would stay in memory. */
const withoutEvidence = ({ check, result }: FiledResult): FiledResult => ({ check, result })

/** Estimated length of its event. */
function bytesOf({ result: { error, pages } }: FiledResult): number {
  return pages.reduce((sum, { pageUrl }) => sum + pageUrl.length + 100, 600 + (error?.length ?? 0))
}

/** Binary search for the chunk with this number. */
function chunkIndex(chunks: readonly ReplayChunk[], number: number, head: number): number {
  let low = head
  let high = chunks.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((chunks[middle] as ReplayChunk).end <= number) low = middle + 1
    else high = middle
  }
  return low
}

/** A chunk is dropped as a whole, so chunks are kept small. */
const maxChunkLength = 250

/** Splits results into chunks of one check each. */
export function* byCheck(filed: readonly FiledResult[]): Generator<readonly FiledResult[]> {
  let start = 0
  for (let i = 1; i <= filed.length; i++) {
    if (i < filed.length && i - start < maxChunkLength && isSameCheck(filed[i - 1], filed[i])) continue
    yield start === 0 && i === filed.length ? filed : filed.slice(start, i)
    start = i
  }
}

function isSameCheck(a: FiledResult | undefined, b: FiledResult | undefined): boolean {
  return a?.check === b?.check || (a?.check.checkId === b?.check.checkId && a?.check.account === b?.check.account)
}
