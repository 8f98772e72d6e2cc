import type { Failure, Failures } from '../api/answers.ts'
import { useResource } from '../api/use-resource.ts'
import { RunLink } from '../run/run-link.tsx'
import { ExportButton } from '../share/export-dialog.tsx'
import type { Exported } from '../share/exports.ts'
import { type Route, RouteLink, withQuery } from '../state/route.tsx'
import { isNamed, queryText, type TimeWindow, windowChanges, windowParameters } from '../state/window.ts'
import { plural } from '../view/figures.ts'
import { Notice, ProblemNotice, Skeleton } from '../view/notice.tsx'
import { headWithZone, sharedZoneText, Time } from '../view/time.tsx'
import { LocationLinks } from './location-links.tsx'
import type { PanelContext } from './panel.ts'

const shownReasons = 10
/** The maximum per response of the API. */
const mostReasons = 1000

/** The failing runs of the window, grouped by reason. */
export function FailuresPanel({ context, route }: { readonly context: PanelContext; readonly route: Route }) {
  const { check, state } = context
  const failures = useResource(`failures ${JSON.stringify([check.id, state.window])}`, async (api, signal) => {
    const path = failuresPath(check.id, state.window, shownReasons)
    return (await api.request<Failures>({ path }, signal)).data
  })
  const { data, problem, loading } = failures
  return (
    <section class={`panel ${loading ? 'loading' : ''}`} aria-busy={loading} data-panel="failures">
      <header>
        <h2>Why it fails</h2>
        <span class="note">{data && data.total > 0 ? noteOf(data) : ''}</span>
        <span class="actions">
          {data && data.total > 0 && <ExportButton of="Why it fails" exported={() => failuresExport(context, data)} />}
        </span>
      </header>
      <ProblemNotice of={failures} />
      {data === undefined && problem === undefined && <Skeleton lines={2} height={28} />}
      {data !== undefined &&
        (data.total === 0 ? <Notice title="No failed runs in this window." /> : <Reasons failures={data.failures} route={route} />)}
    </section>
  )
}

function noteOf({ total, failures, pagination }: Failures): string {
  const more = pagination.next === null ? '' : `, the ${failures.length} most frequent reasons`
  return `${plural(total, 'failed run')}${more}; similar errors grouped`
}

function Reasons({ failures, route }: { failures: readonly Failure[]; route: Route }) {
  const seen = failures.flatMap(({ firstSeen, lastSeen }) => [Date.parse(firstSeen), Date.parse(lastSeen)])
  const namesZone = sharedZoneText(seen) === null
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
            <th scope="col">{headWithZone('First', seen)}</th>
            <th scope="col">{headWithZone('Last', seen)}</th>
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
                {example.error !== reason && <div class="note">last: {example.error}</div>}
              </td>
              <td class="number">
                <RouteLink href={withQuery(route, { ...windowChanges(around(firstSeen, lastSeen)), filterByStatus: 'failure' })}>
                  {count.toLocaleString()}
                </RouteLink>
              </td>
              <td>
                <Time at={Date.parse(firstSeen)} zone={namesZone} />
              </td>
              <td>
                <Time at={Date.parse(lastSeen)} zone={namesZone} />
              </td>
              <td class="outage-locations">
                <LocationLinks names={locations} route={route} changes={{ filterByStatus: 'failure' }} />
              </td>
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

/** Exports all reasons of the window, not only those of the page. */
function failuresExport({ check, state: { window } }: PanelContext, { from, to }: Failures): Exported {
  const path = (window: TimeWindow) => `${failuresPath(check.id, window, mostReasons)}&format=csv`
  return {
    name: `${check.name} failures`,
    exact: [{ path: path({ from: Date.parse(from), to: Date.parse(to) }) }],
    rolling: isNamed(window) ? [{ path: path(window) }] : null,
    rows: [],
    wholeCsv: true,
    root: '',
  }
}

function failuresPath(checkId: string, window: TimeWindow, limit: number): string {
  const query = [['checkId', checkId], ...windowParameters(window), ['limit', String(limit)]]
  return `/v1/analytics/failures?${queryText(query)}`
}
