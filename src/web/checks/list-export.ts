import type { Hour } from '../api/answers.ts'
import type { Exported } from '../share/exports.ts'
import { hoursOfDay } from './day.ts'
import type { Entry } from './list-state.ts'
import { checksAsk, checksPerCall, type SummaryPaths } from './use-checks.ts'

type Seen = SummaryPaths & { readonly entries: readonly Entry[]; readonly total: number; readonly now: number }

/** The page of checks that is seen: their figures and hours, and behind those the calls that tell names and states. */
export function listExport({ path, rolling, entries, total, now }: Seen): Exported {
  const pages = Math.ceil(total / checksPerCall)
  const body = { checkIds: entries.map(({ check }) => check.id) }
  const names = checksAsk(1).path.replace('page=1', pages > 1 ? `page=[1-${pages}]` : 'page=1')
  const asks = (summary: string) => [{ path: summary, body }, { path: names }, { path: '/v1/check-statuses' }]
  return {
    name: 'checks',
    asSeen: asks(path),
    rolling: rolling === path ? null : asks(rolling),
    root: '',
    rows: [
      ['checkId', 'name', 'checkType', 'tags', 'state', 'availability', 'p95', 'failuresByHour', 'lastRun'],
      ...entries.map(({ check, state, availability, p95, hours = [], lastRun }) => [
        check.id,
        check.name,
        check.checkType,
        check.tags.join(' '),
        state,
        availability ?? null,
        p95 ?? null,
        failuresByHour(hours, now),
        lastRun === null ? null : new Date(lastRun).toISOString(),
      ]),
    ],
  }
}

/** Oldest first; an hour without runs is a dash. */
function failuresByHour(hours: readonly Hour[], now: number): string {
  return hoursOfDay(hours, now)
    .map((hour) => (hour === undefined ? '–' : String(hour.total - hour.success)))
    .join(' ')
}
