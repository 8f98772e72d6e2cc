import { isoText, parseInstant } from '../../../time.ts'
import type { ConversionDraft } from '../draft.ts'
import { numberOf, plainText } from '../fields.ts'
import type { ConvertedResult } from '../source.ts'
import { printable } from '../written-text.ts'
import type { KumaDatabase, KumaRow } from './database.ts'
import type { ConvertedMonitors } from './monitors.ts'

const [down, up, pending, maintenance] = [0, 1, 2, 3]
/** The import rejects results further in the future. */
const maxAheadMs = 600_000
const maxAttempts = 1000

type Target = { readonly checkId: string; readonly metric: string | null; readonly hasStatus: boolean; readonly runLocation: string | null }

type Counts = { maintenance: number; unreadable: number; responses: number; readonly strangers: Map<number, number> }

type BeatOptions = { readonly ids: ConvertedMonitors; readonly now: number; readonly progress: (fraction: number) => void }

const rowsOfProgress = 10_000

/** Converts beats to results, in insertion order. A pending beat is a failed attempt of the next result. */
export function* monitorBeats(
  database: KumaDatabase,
  draft: ConversionDraft,
  { ids, now, progress }: BeatOptions,
): Generator<ConvertedResult> {
  if (!database.columns('heartbeat').has('monitor_id')) return
  const targets = new Map([...ids.checks].map(([monitor, checkId]) => [monitor, targetOf(draft, checkId)]))
  const attempts = new Map<number, number>()
  const last = database.lastPosition('heartbeat')
  let read = 0
  const counts: Counts = { maintenance: 0, unreadable: 0, responses: 0, strangers: new Map() }
  const response = database.columns('heartbeat').has('response') ? ', response IS NOT NULL AS hasResponse' : ''
  for (const row of database.each('heartbeat', `id, monitor_id, status, substr(msg, 1, 1000) AS msg, time, ping${response}`)) {
    if (numberOf(row.hasResponse) === 1) counts.responses++
    const [monitor, status] = [numberOf(row.monitor_id) ?? -1, numberOf(row.status)]
    const target = targets.get(monitor)
    if (++read % rowsOfProgress === 0) progress(Math.min(1, (numberOf(row.position) ?? 0) / last))
    if (!target) countStranger(counts.strangers, monitor)
    else if (status === maintenance) counts.maintenance++
    else if (status === pending) attempts.set(monitor, Math.min(maxAttempts - 1, (attempts.get(monitor) ?? 0) + 1))
    else {
      const startedAt = instantOf(row.time)
      const isUsable = startedAt !== null && startedAt <= now + maxAheadMs && (status === down || status === up)
      if (isUsable) yield resultOf(row, target, { startedAt, failed: status === down, attempts: (attempts.get(monitor) ?? 0) + 1 })
      else counts.unreadable++
      attempts.delete(monitor)
    }
  }
  reportCounts(draft, counts, ids)
}

/** Beats of further unknown monitors are counted together, to bound memory. */
const maxStrangers = 10_000

function countStranger(strangers: Map<number, number>, monitor: number): void {
  const key = strangers.has(monitor) || strangers.size < maxStrangers ? monitor : -1
  strangers.set(key, (strangers.get(key) ?? 0) + 1)
}

function targetOf(draft: ConversionDraft, checkId: string): Target {
  const type = draft.typeOf(checkId)
  const metric = type?.duration ?? (type && 'duration' in type.metrics ? 'duration' : null)
  return { checkId, metric, hasStatus: type?.fields.includes('statusCode') ?? false, runLocation: type?.pingSettings ? null : 'default' }
}

type Beat = { readonly startedAt: number; readonly failed: boolean; readonly attempts: number }

function resultOf(
  row: KumaRow,
  { checkId, metric, hasStatus, runLocation }: Target,
  { startedAt, failed, attempts }: Beat,
): ConvertedResult {
  const message = printable(plainText(row.msg))
  const took = numberOf(row.ping)
  const statusCode = hasStatus ? /^([1-5][0-9]{2}) - /.exec(message)?.[1] : undefined
  return {
    checkId,
    id: `kuma-${numberOf(row.id) ?? startedAt}`,
    startedAt: isoText(startedAt),
    ...(runLocation !== null && { runLocation }),
    hasFailures: failed,
    ...(attempts > 1 && { attempts }),
    ...(failed && message !== '' && { error: message }),
    ...(statusCode !== undefined && { statusCode: Number(statusCode) }),
    ...(metric !== null && took !== null && took >= 0 && { [metric]: took }),
  }
}

/** Times are in UTC, such as `2023-11-14 10:00:00.123`. */
function instantOf(time: unknown): number | null {
  const text = plainText(time).trim().replace(' ', 'T')
  return parseInstant(/(Z|[+-][0-9]{2}:?[0-9]{2})$/.test(text) ? text : `${text}Z`) ?? null
}

function reportCounts(
  draft: ConversionDraft,
  { maintenance: during, unreadable, responses, strangers }: Counts,
  { names }: ConvertedMonitors,
): void {
  const lost = (item: string, why: string) => draft.lost(item, 'heartbeat', why)
  if (during > 0) lost('results', `${during} beats are from maintenance, when Uptime Kuma runs no checks.`)
  if (unreadable > 0) lost('results', `${unreadable} beats have no valid time or state.`)
  if (responses > 0) lost('results', `${responses} beats have a stored response: only runs of Tidemark have evidence.`)
  for (const [monitor, count] of strangers)
    lost(
      names.get(monitor) ?? (monitor === -1 ? 'other monitors' : `monitor ${monitor}`),
      `${count} beats are not converted, because the monitor is not.`,
    )
}
