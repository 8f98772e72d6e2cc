import type { CheckStatus, LocationStatus, Report, Row } from '../api/answers.ts'
import { loadGroups, loadReport } from '../api/report-query.ts'
import { useResource } from '../api/use-resource.ts'
import { tableOf } from '../chart/table.ts'
import type { Route } from '../state/route.tsx'
import { figure } from '../view/figures.ts'
import { ProblemNotice } from '../view/notice.tsx'
import { sparkPath } from '../view/spark.ts'
import { StateMark } from '../view/state.tsx'
import { Time } from '../view/time.tsx'
import { useSeen } from '../view/use-seen.ts'
import { LocationLinks } from './location-links.tsx'
import { type PanelContext, panelQuery } from './panel.ts'

const sparkWidth = 160
const sparkHeight = 24
const rowHeight = 34

type LocationsProps = { readonly context: PanelContext; readonly status: CheckStatus | undefined; readonly route: Route }

/** The locations of a check in the window, with state, figures and a line of durations. */
export function Locations({ context, status, route }: LocationsProps) {
  const groupBy = context.checkType.groupBy.find(({ by }) => by === 'location')?.name
  if (groupBy === undefined || context.check.locations.length === 0) return null
  return <LocationsPanel context={context} status={status} route={route} groupBy={groupBy} />
}

function LocationsPanel({ context, status, route, groupBy }: LocationsProps & { readonly groupBy: string }) {
  const { duration } = context.checkType
  const figures = ['availability', ...(duration === null ? [] : [`${duration}_p50`, `${duration}_p95`])]
  // With a status filter, availability would always be 0 or 100 %.
  const ofEveryStatus = { ...context, state: { ...context.state, status: null, by: 'runs' as const } }
  const whole = { ...panelQuery(ofEveryStatus, figures, groupBy), interval: null, calls: 1 }
  const lines = panelQuery(ofEveryStatus, [figures[1] ?? 'availability'], groupBy)
  const [place, seen] = useSeen<HTMLElement>()
  const locations = useResource(seen ? JSON.stringify([whole, lines]) : null, async (api, signal) => {
    const [figures, course] = await Promise.all([loadGroups(api, whole, signal), loadReport(api, lines, signal)])
    return { rows: rowsByGroup(figures, groupBy), courses: coursesOf(course, lines), duration }
  })
  const { data, problem, loading } = locations
  return (
    <section ref={place} class={`panel ${loading ? 'loading' : ''}`} aria-busy={loading} data-panel="locations">
      <header>
        <h2>Locations</h2>
        <span class="note">{duration === null ? 'availability over time' : 'p50 over time'}</span>
      </header>
      <ProblemNotice of={locations} />
      {data === undefined && problem === undefined && (
        <div class="unloaded" style={{ height: `${(context.check.locations.length + 1) * rowHeight}px` }} />
      )}
      {data !== undefined && (
        <LocationsTable {...data} route={route} statuses={status?.locations ?? []} names={namesOf(context, status, data.rows)} />
      )}
    </section>
  )
}

/** The configured locations, and any other that has run in the window. */
function namesOf({ check }: PanelContext, status: CheckStatus | undefined, rows: ReadonlyMap<string, Row>): readonly string[] {
  return [...new Set([...check.locations, ...(status?.locations ?? []).map(({ runLocation }) => runLocation), ...rows.keys()])]
}

type TableProps = {
  readonly names: readonly string[]
  readonly route: Route
  readonly statuses: readonly LocationStatus[]
  readonly rows: ReadonlyMap<string, Row>
  readonly courses: ReadonlyMap<string, readonly (number | null)[]>
  readonly duration: string | null
}

function LocationsTable({ names, route, statuses, rows, courses, duration }: TableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section class="rows-table" tabIndex={0} aria-label="Locations">
      <table>
        <thead>
          <tr>
            <th scope="col">Location</th>
            <th scope="col">State</th>
            <th scope="col" class="number">
              Availability
            </th>
            {duration !== null && ['p50', 'p95'].map((name) => <th key={name} scope="col" class="number" children={name} />)}
            <th scope="col" class="course">
              Over time
            </th>
            <th scope="col" class="number">
              Last run
            </th>
          </tr>
        </thead>
        <tbody>
          {names.map((name) => (
            <LocationRow
              key={name}
              name={name}
              route={route}
              status={statuses.find(({ runLocation }) => runLocation === name)}
              row={rows.get(name)}
              course={courses.get(name) ?? []}
              duration={duration}
            />
          ))}
        </tbody>
      </table>
    </section>
  )
}

type RowProps = {
  readonly name: string
  readonly route: Route
  readonly status: LocationStatus | undefined
  readonly row: Row | undefined
  readonly course: readonly (number | null)[]
  readonly duration: string | null
}

function LocationRow({ name, route, status, row, course, duration }: RowProps) {
  const value = (metric: string) => (typeof row?.[metric] === 'number' ? row[metric] : null)
  return (
    <tr>
      <td>
        <LocationLinks names={[name]} route={route} />
      </td>
      <td>{status === undefined ? '–' : <StateMark state={status.state} />}</td>
      <td class="number">{figure(value('availability'), 'percentage')}</td>
      {duration !== null &&
        ['p50', 'p95'].map((aggregation) => (
          <td key={aggregation} class="number">
            {figure(value(`${duration}_${aggregation}`), 'milliseconds')}
          </td>
        ))}
      <td>
        <svg class="spark" viewBox={`0 -2 ${sparkWidth} ${sparkHeight + 4}`} preserveAspectRatio="none" aria-hidden="true">
          <path d={sparkPath(course, sparkWidth, sparkHeight)} />
        </svg>
      </td>
      <td class="number">{status?.updated_at ? <Time at={Date.parse(status.updated_at)} relative /> : '–'}</td>
    </tr>
  )
}

function rowsByGroup({ series }: Report, groupBy: string): ReadonlyMap<string, Row> {
  return new Map(series.flatMap((entry) => (entry.data[0] === undefined ? [] : [[String(entry[groupBy]), entry.data[0]] as const])))
}

function coursesOf(report: Report, query: ReturnType<typeof panelQuery>): ReadonlyMap<string, readonly (number | null)[]> {
  const { columns } = tableOf(report, { metrics: query.metrics, groupBy: query.groupBy, interval: query.interval })
  return new Map(columns.map(({ group, values }) => [group ?? '', values]))
}
