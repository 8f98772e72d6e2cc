import type { ComponentChildren } from 'preact'
import type { AgentEntry, LocationEntry, State } from '../api/answers.ts'
import { RouteLink, withQuery } from '../state/route.tsx'
import { StateMark } from '../view/state.tsx'
import { Time } from '../view/time.tsx'

/** A location, or an agent there. */
export type LocationLine = { readonly entry: LocationEntry; readonly agent: AgentEntry | null }

type LocationColumn = {
  readonly head: string
  readonly isNumber?: boolean
  /** Null for an empty cell. */
  cell(line: LocationLine): ComponentChildren
}

/** The columns with a value in at least one line. */
export function columnsFor(lines: readonly LocationLine[]): readonly LocationColumn[] {
  return columns.filter(({ cell }) => lines.some((line) => cell(line) !== null))
}

const columns: readonly LocationColumn[] = [
  {
    head: 'Location',
    cell: ({ entry: { location } }) => (
      <RouteLink href={withQuery({ path: '/', query: new URLSearchParams() }, { location })}>{location}</RouteLink>
    ),
  },
  { head: 'Run by', cell: ({ entry, agent }) => (agent === null ? runByOf(entry) : agentState(agent)) },
  { head: 'Agent', cell: ({ agent }) => agent && agentName(agent) },
  { head: 'Last contact', cell: ({ agent }) => agent && <Time at={Date.parse(agent.lastContact)} relative /> },
  { head: 'Checks', isNumber: true, cell: ({ entry, agent }) => (agent ?? entry).checks },
  { head: 'Waiting results', isNumber: true, cell: ({ agent }) => agent?.backlog ?? null },
  { head: 'Dropped results', isNumber: true, cell: ({ agent }) => agent?.agentDropped ?? null },
  { head: 'Clock offset', isNumber: true, cell: ({ agent }) => agent && offsetText(agent) },
  { head: 'Version', cell: ({ agent }) => agent?.version ?? null },
]

function runByOf({ runBy, runsHere }: LocationEntry): ComponentChildren {
  if (runBy === 'server') return runsHere ? 'the server' : <StateMark state="unknown" word="not this server" />
  return <StateMark state="unknown" word={runBy === 'agents' ? 'no agent' : 'none'} />
}

const marks: Readonly<Record<AgentEntry['state'], State>> = { live: 'passing', silent: 'failing', stopped: 'paused' }

function agentState({ state }: AgentEntry): ComponentChildren {
  return <StateMark state={marks[state]} word={state} />
}

function agentName({ instance, name }: AgentEntry): ComponentChildren {
  return (
    <span title={instance}>
      {name} <span class="note">{instance.slice(0, 8)}</span>
    </span>
  )
}

function offsetText({ clockOffsetMs, stampsServerTime }: AgentEntry): string | null {
  return clockOffsetMs === null ? null : `${clockOffsetMs} ms${stampsServerTime ? ', corrected' : ''}`
}
