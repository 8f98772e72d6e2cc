import type { Hour } from '../api/answers.ts'
import type { Exported } from '../share/exports.ts'
import { hoursOfDay } from './day.ts'
import type { ListRow } from './list-options.ts'
import { checksPerCall, checksRequest, type SummaryPaths } from './use-checks.ts'

type VisibleChecks = SummaryPaths & { readonly entries: readonly ListRow[]; readonly total: number; readonly now: number }

/** Exports the visible page of checks: one request for figures and hourly data, then requests for names and states. */
export function listExport({ path, rolling, entries, total, now }: VisibleChecks): Exported {
  const pages = Math.ceil(total / checksPerCall)
  const body = { checkIds: entries.map(({ check }) => check.id) }
  const names = checksRequest(1).path.replace('page=1', pages > 1 ? `page=[1-${pages}]` : 'page=1')
  const requests = (summary: string) => [{ path: summary, body }, { path: names }, { path: '/v1/check-statuses' }]
  return {
    name: 'checks',
    exact: requests(path),
    rolling: rolling === null ? null : requests(rolling),
    root: '',
    rows: [
      ['checkId', 'name', 'checkType', 'tags', 'state', 'availability', 'p95', 'certificateDays', 'failuresByHour', 'lastRun'],
      ...entries.map(({ check, state, availability, p95, certificate, hours = [], lastRun }) => [
        check.id,
        check.name,
        check.checkType,
        check.tags.join(' '),
        state,
        availability ?? null,
        p95 ?? null,
        certificate,
        failuresByHour(hours, now),
        lastRun === null ? null : new Date(lastRun).toISOString(),
      ]),
    ],
  }
}

/** Oldest first. An hour without runs is a dash. */
function failuresByHour(hours: readonly Hour[], now: number): string {
  return hoursOfDay(hours, now)
    .map((hour) => (hour === undefined ? '–' : String(hour.total - hour.success)))
    .join(' ')
}
