import type { Exported } from '../share/exports.ts'
import type { Entry } from './list-state.ts'
import { checksAsk, checksPerCall } from './use-checks.ts'

type Seen = { readonly path: string; readonly rolling: string; readonly entries: readonly Entry[]; readonly total: number }

/** The page of checks that is seen: their figures, and behind those the calls that tell names and states. */
export function listExport({ path, rolling, entries, total }: Seen): Exported {
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
      ['checkId', 'name', 'checkType', 'tags', 'state', 'availability', 'p95', 'lastRun'],
      ...entries.map(({ check, state, availability, p95, lastRun }) => [
        check.id,
        check.name,
        check.checkType,
        check.tags.join(' '),
        state,
        availability ?? null,
        p95 ?? null,
        lastRun === null ? null : new Date(lastRun).toISOString(),
      ]),
    ],
  }
}
