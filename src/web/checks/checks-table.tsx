import { go, Link, type Place, withQuery } from '../state/place.tsx'
import { figure } from '../view/figures.ts'
import { Skeleton } from '../view/notice.tsx'
import { StateMark } from '../view/state.tsx'
import { Time } from '../view/time.tsx'
import { DayBar } from './day-bar.tsx'
import { type Entry, type ListState, largestFirst, type Sort } from './list-state.ts'

type TableProps = {
  readonly entries: readonly Entry[]
  readonly busy: boolean
  readonly state: ListState
  readonly place: Place
  readonly now: number
}

export function ChecksTable({ entries, busy, state, place, now }: TableProps) {
  const head = (sort: Sort, label: string, column: string, hint?: string) => (
    <Head sort={sort} label={label} column={column} hint={hint} state={state} place={place} />
  )
  return (
    <table class={`checks ${busy ? 'loading' : ''}`} aria-busy={busy}>
      <thead>
        <tr>
          {head('name', 'Check', 'name')}
          {head('state', 'State', 'state-column')}
          {head('type', 'Type', 'type')}
          {head('availability', 'Availability', 'number', 'The share of runs in the window that did not fail')}
          {head('p95', 'p95', 'number', '95 of 100 runs in the window took no longer')}
          <th scope="col" class="day">
            24 hours
          </th>
          {head('lastRun', 'Last run', 'last number')}
        </tr>
      </thead>
      <tbody>
        {entries.map((entry) => (
          <CheckRow key={entry.check.id} entry={entry} place={place} now={now} />
        ))}
      </tbody>
    </table>
  )
}

type HeadProps = { sort: Sort; label: string; column: string; hint: string | undefined; state: ListState; place: Place }

function Head({ sort, label, column, hint, state, place }: HeadProps) {
  const active = state.sort === sort
  const next = active && !state.reversed ? `-${sort}` : sort
  const descending = state.reversed !== largestFirst.includes(sort)
  return (
    <th scope="col" class={column} aria-sort={active ? (descending ? 'descending' : 'ascending') : 'none'}>
      <button type="button" title={hint} onClick={() => go(withQuery(place, { sort: next === 'state' ? null : next, page: null }))}>
        {label}
        <i aria-hidden="true">{active ? (descending ? '↓' : '↑') : ''}</i>
      </button>
    </th>
  )
}

function CheckRow({ entry, place, now }: { entry: Entry; place: Place; now: number }) {
  const { check, state, typeLabel } = entry
  const window = withQuery({ path: `/checks/${check.id}`, query: new URLSearchParams() }, windowOnly(place))
  return (
    <tr>
      <th scope="row" class="name">
        <Link href={window}>{check.name}</Link>
        <span class="meta">
          <span class="narrow-only">
            {state !== null && <StateMark state={state} words={false} />} {entry.lastRun !== null && <Time at={entry.lastRun} relative />}
          </span>
          {check.tags.map((tag) => (
            <Link key={tag} class="tag" href={withQuery({ ...place, path: '/' }, { tag, page: null })}>
              {tag}
            </Link>
          ))}
        </span>
      </th>
      <td class="state-column">{state === null ? <Skeleton /> : <StateMark state={state} />}</td>
      <td class="type">{typeLabel}</td>
      <td class={`number ${short(entry.availability) ? 'short' : ''}`}>
        <Waiting value={entry.availability}>{figure(entry.availability, 'percentage')}</Waiting>
      </td>
      <td class="number">
        <Waiting value={entry.p95}>{figure(entry.p95, 'milliseconds')}</Waiting>
      </td>
      <td class="day">
        <DayBar hours={entry.hours} now={now} />
      </td>
      <td class="last number">{entry.lastRun === null ? '–' : <Time at={entry.lastRun} relative />}</td>
    </tr>
  )
}

function short(availability: number | null | undefined): boolean {
  return typeof availability === 'number' && availability < 99
}

function Waiting({ value, children }: { value: unknown; children: string }) {
  return value === undefined ? <Skeleton /> : children
}

function windowOnly({ query }: Place): Record<string, string | null> {
  return { quickRange: query.get('quickRange'), from: query.get('from'), to: query.get('to') }
}
