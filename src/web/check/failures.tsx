import type { Failure, Failures } from '../api/answers.ts'
import { useResource } from '../api/use-resource.ts'
import { RunLink } from '../run/run-link.tsx'
import { ExportButton } from '../share/export-dialog.tsx'
import type { Exported } from '../share/exports.ts'
import { rowsOf } from '../share/rows.ts'
import { Link, type Route, withQuery } from '../state/route.tsx'
import { windowChanges, windowParameters } from '../state/window.ts'
import { plural } from '../view/figures.ts'
import { Notice, Skeleton } from '../view/notice.tsx'
import { Time } from '../view/time.tsx'
import type { PanelContext } from './panel.ts'

const shownReasons = 10

/** Why the check fails: its failing runs of the window by reason. */
export function FailuresPanel({ context, route }: { readonly context: PanelContext; readonly route: Route }) {
  const query = [['checkId', context.check.id], ...windowParameters(context.state.window), ['limit', String(shownReasons)]]
  const path = `/v1/analytics/failures?${query.map((pair) => pair.join('=')).join('&')}`
  const { data, problem, loading } = useResource(path, async (api, signal) => (await api.request<Failures>({ path }, signal)).data)
  return (
    <section class={`panel ${loading ? 'loading' : ''}`} aria-busy={loading} data-panel="failures">
      <header>
        <h2>Why it fails</h2>
        <span class="note">{data && data.total > 0 ? noteOf(data) : ''}</span>
        <span class="actions">
          {data && data.total > 0 && <ExportButton of="Why it fails" exported={() => failuresExport(context, path, data)} />}
        </span>
      </header>
      {problem !== undefined && <Notice alert title={problem.message} />}
      {data === undefined && problem === undefined && <Skeleton lines={2} height={28} />}
      {data !== undefined &&
        (data.total === 0 ? <p class="note">No run failed here.</p> : <Reasons failures={data.failures} route={route} />)}
    </section>
  )
}

function noteOf({ total, failures, pagination }: Failures): string {
  const more = pagination.next === null ? '' : `, the ${failures.length} most frequent reasons`
  return `${plural(total, 'failed run')}${more}; numbers, ids and addresses made alike`
}

function Reasons({ failures, route }: { failures: readonly Failure[]; route: Route }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section class="rows-table" tabIndex={0} aria-label="Why it fails">
      <table>
        <thead>
          <tr>
            <th scope="col">Reason</th>
            <th scope="col" class="number">
              Runs
            </th>
            <th scope="col">First</th>
            <th scope="col">Last</th>
            <th scope="col">Locations</th>
          </tr>
        </thead>
        <tbody>
          {failures.map(({ reason, count, firstSeen, lastSeen, locations, example }) => (
            <tr key={reason}>
              <td class="evidence-text">
                <RunLink checkId={example.checkId} run={{ id: example.resultId, startedAt: example.startedAt }}>
                  {reason ?? 'No reason given'}
                </RunLink>
              </td>
              <td class="number">
                <Link href={withQuery(route, { ...windowChanges(around(firstSeen, lastSeen)), filterByStatus: 'failure' })}>
                  {count.toLocaleString()}
                </Link>
              </td>
              <td>
                <Time at={Date.parse(firstSeen)} />
              </td>
              <td>
                <Time at={Date.parse(lastSeen)} />
              </td>
              <td>{locations.join(', ')}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

const marginMs = 60_000

function around(firstSeen: string, lastSeen: string): { from: number; to: number } {
  return { from: Date.parse(firstSeen) - marginMs, to: Date.parse(lastSeen) + marginMs }
}

function failuresExport({ check }: PanelContext, path: string, { failures }: Failures): Exported {
  const rows = failures.map(({ locations, checkIds, example, ...row }) => ({
    ...row,
    locations: locations.join(' '),
    example: example.resultId,
  }))
  return { name: `${check.name} failures`, exact: [{ path }], rolling: null, rows: rowsOf(rows), root: 'failures' }
}
