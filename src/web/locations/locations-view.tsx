import type { LocationEntry } from '../api/answers.ts'
import { useResource, useWatch } from '../api/use-resource.ts'
import { plural } from '../view/figures.ts'
import { Notice, ProblemNotice, Skeleton } from '../view/notice.tsx'
import { ScrollingTable } from '../view/scrolling-table.tsx'
import { useTitle } from '../view/use-title.ts'
import { columnsFor, type LocationLine } from './location-columns.tsx'

export function LocationsView() {
  useTitle('Locations')
  useWatch('all')
  const locations = useResource(
    'locations',
    async (api, signal) => (await api.request<LocationEntry[]>({ path: '/v1/locations' }, signal)).data,
  )
  const { data, problem } = locations
  if (data === undefined) return problem === undefined ? <Skeleton lines={4} height={40} /> : <ProblemNotice whole of={locations} />
  return (
    <>
      <div class="view-head">
        <h1>Locations</h1>
        {data.length > 0 && <span class="note">{countText(data)}</span>}
      </div>
      <ProblemNotice of={locations} />
      {data.length === 0 ? <Notice title="This account has no checks that run at a location." /> : <LocationsTable locations={data} />}
    </>
  )
}

function LocationsTable({ locations }: { readonly locations: readonly LocationEntry[] }) {
  const lines = agentsFirst(locations).flatMap(linesOf)
  const columns = columnsFor(lines)
  const heads = columns.map(({ head }) => head)
  const numbers = columns.filter(({ isNumber }) => isNumber).map(({ head }) => head)
  return (
    <section class="panel locations">
      <ScrollingTable label="Locations and their agents" heads={heads} numbers={numbers}>
        {lines.map((line) => (
          <tr key={`${line.entry.location} ${line.agent?.instance}`}>
            {columns.map(({ head, isNumber, cell }, index) =>
              index === 0 ? (
                <th key={head} scope="row">
                  {cell(line)}
                </th>
              ) : (
                <td key={head} class={isNumber ? 'number' : ''}>
                  {cell(line)}
                </td>
              ),
            )}
          </tr>
        ))}
      </ScrollingTable>
    </section>
  )
}

/** `43 locations, 2 agents`. */
function countText(locations: readonly LocationEntry[]): string {
  const agents = locations.reduce((sum, entry) => sum + entry.agents.length, 0)
  return [plural(locations.length, 'location'), ...(agents === 0 ? [] : [plural(agents, 'agent')])].join(', ')
}

/** Locations with agents come first, because somebody has to maintain these. */
function agentsFirst(locations: readonly LocationEntry[]): readonly LocationEntry[] {
  const rank = ({ runBy, agents }: LocationEntry) => (agents.length > 0 || runBy === 'agents' ? 0 : runBy === 'none' ? 1 : 2)
  return locations.toSorted((a, b) => rank(a) - rank(b))
}

/** A line for each agent. The location itself has a line unless its agents run it. */
function linesOf(entry: LocationEntry): readonly LocationLine[] {
  const ofAgents = entry.agents.map((agent) => ({ entry, agent }))
  return entry.runBy === 'agents' && ofAgents.length > 0 ? ofAgents : [{ entry, agent: null }, ...ofAgents]
}
