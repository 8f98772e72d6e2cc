import type { AgentEntry, LocationEntry, State } from '../api/answers.ts'
import { useResource } from '../api/use-resource.ts'
import { RouteLink, withQuery } from '../state/route.tsx'
import { plural } from '../view/figures.ts'
import { Notice, ProblemNotice, Skeleton } from '../view/notice.tsx'
import { ScrollingTable } from '../view/scrolling-table.tsx'
import { StateMark } from '../view/state.tsx'
import { Time } from '../view/time.tsx'
import { useTitle } from '../view/use-title.ts'

const columns = ['Location', 'Run by', 'Agent', 'Last contact', 'Checks', 'Waiting results', 'Dropped results', 'Clock offset', 'Version']

/** Where checks run, and the agents there. */
export function LocationsView() {
  useTitle('Locations')
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
  return (
    <ScrollingTable label="Locations and their agents" heads={columns}>
      {agentsFirst(locations).flatMap((entry) => rowsOf(entry))}
    </ScrollingTable>
  )
}

/** `43 locations, 2 agents`. */
function countText(locations: readonly LocationEntry[]): string {
  const agents = locations.reduce((sum, entry) => sum + entry.agents.length, 0)
  return [plural(locations.length, 'location'), ...(agents === 0 ? [] : [plural(agents, 'agent')])].join(', ')
}

/** Those that agents run come first, as someone has to look after these. */
export function agentsFirst(locations: readonly LocationEntry[]): readonly LocationEntry[] {
  const rank = ({ runBy, agents }: LocationEntry) => (agents.length > 0 || runBy === 'agents' ? 0 : runBy === 'none' ? 1 : 2)
  return locations.toSorted((a, b) => rank(a) - rank(b))
}

function rowsOf({ location, runBy, checks, agents }: LocationEntry) {
  const ofAgents = agents.map((agent) => <AgentRow key={`${location} ${agent.instance}`} location={location} agent={agent} />)
  if (runBy === 'agents' && agents.length > 0) return ofAgents
  return [
    <tr key={location}>
      <th scope="row">
        <ChecksAt location={location} />
      </th>
      <td>{runBy === 'server' ? 'the server' : <StateMark state="unknown" word={runBy === 'agents' ? 'no agent' : 'nobody'} />}</td>
      <td />
      <td />
      <td class="number">{checks}</td>
      <td colSpan={4} />
    </tr>,
    ...ofAgents,
  ]
}

function ChecksAt({ location }: { readonly location: string }) {
  return <RouteLink href={withQuery({ path: '/', query: new URLSearchParams() }, { location })}>{location}</RouteLink>
}

const marks: Readonly<Record<AgentEntry['state'], State>> = { live: 'passing', silent: 'failing', stopped: 'paused' }

function AgentRow({ location, agent }: { readonly location: string; readonly agent: AgentEntry }) {
  const { instance, name, state, lastContact, checks, backlog, agentDropped, clockOffsetMs, stampsServerTime, version } = agent
  return (
    <tr>
      <th scope="row">
        <ChecksAt location={location} />
      </th>
      <td>
        <StateMark state={marks[state]} word={state} />
      </td>
      <td title={instance}>
        {name} <span class="note">{instance.slice(0, 8)}</span>
      </td>
      <td>
        <Time at={Date.parse(lastContact)} relative />
      </td>
      <td class="number">{checks}</td>
      <td class="number">{backlog}</td>
      <td class="number">{agentDropped}</td>
      <td class="number">{clockOffsetMs === null ? '' : `${clockOffsetMs} ms${stampsServerTime ? ', corrected' : ''}`}</td>
      <td>{version}</td>
    </tr>
  )
}
