import { useEffect, useMemo, useState } from 'preact/hooks'
import { navigate, type Route, RouteLink, windowOnly, withQuery } from '../state/route.tsx'
import { type TimeWindow, windowChanges } from '../state/window.ts'
import { TroubleNote } from '../view/failing-for.tsx'
import { figure, plural } from '../view/figures.ts'
import { Skeleton } from '../view/notice.tsx'
import { StateMark } from '../view/state.tsx'
import { Tags } from '../view/tags.tsx'
import { Time } from '../view/time.tsx'
import { DayBar } from './day-bar.tsx'
import { type ListRow, type ListState, largestFirst, type Sort, soonDays } from './list-options.ts'
import type { SelectedChecks } from './selection.tsx'

const minRowHeight = 32

type TableProps = {
  readonly entries: readonly ListRow[]
  readonly busy: boolean
  /** Whether loading the figures failed. */
  readonly failed: boolean
  readonly hasCertificates: boolean
  /** Null if checks cannot be selected. */
  readonly selection: SelectedChecks | null
  readonly state: ListState
  readonly route: Route
  readonly now: number
}

export function ChecksTable({ entries, busy, failed, hasCertificates, selection, state, route, now }: TableProps) {
  const narrow = useMedia('(max-width: 900px)')
  const links = useMemo(() => linksFrom(route), [route])
  const stale = busy && entries.some(({ hours }) => hours !== undefined)
  const rows = entries.slice(0, useRowLimit())
  const head = (sort: Sort, label: string, column: string, hint?: string) => (
    <Head sort={sort} label={label} column={column} hint={hint} state={state} route={route} />
  )
  return (
    <table class={`checks ${stale ? 'loading' : ''} ${selection ? 'picking' : ''}`} aria-busy={busy}>
      <thead>
        <tr>
          {selection && (
            <th scope="col" class="pick">
              <span class="unseen">Selected</span>
            </th>
          )}
          {!narrow && head('state', 'State', 'state-column')}
          {head('name', 'Check', 'name')}
          {!narrow && head('type', 'Type', 'type')}
          {head('availability', 'Availability', 'number', 'The share of runs in the window that did not fail')}
          {head('p95', 'p95', 'number', '95 of 100 runs in the window took this long or less')}
          {!narrow && hasCertificates && head('certificate', 'Certificate', 'number', 'Days until it expires')}
          <th scope="col" class="day">
            24 hours
          </th>
          {narrow ? (
            <th scope="col" class="about">
              State, last run, type and tags
            </th>
          ) : (
            head('lastRun', 'Last run', 'last number')
          )}
        </tr>
      </thead>
      <tbody>
        {rows.map((entry) => (
          <CheckRow key={entry.check.id} {...{ entry, failed, narrow, hasCertificates, selection, links, now }} />
        ))}
      </tbody>
    </table>
  )
}

let paintedBefore = false

/** The number of rows to render: the first screen when the page opens, and all rows after the first paint. */
function useRowLimit(): number {
  const [painted, setPainted] = useState(paintedBefore)
  useEffect(() => {
    paintedBefore = true
    setPainted(true)
  }, [])
  return painted ? Number.POSITIVE_INFINITY : Math.ceil(innerHeight / minRowHeight)
}

type HeadProps = { sort: Sort; label: string; column: string; hint: string | undefined; state: ListState; route: Route }

function Head({ sort, label, column, hint, state, route }: HeadProps) {
  const active = state.sort === sort
  const next = active && !state.reversed ? `-${sort}` : sort
  const descending = state.reversed !== largestFirst.includes(sort)
  return (
    <th scope="col" class={column} aria-sort={active ? (descending ? 'descending' : 'ascending') : 'none'}>
      <button type="button" title={hint} onClick={() => navigate(withQuery(route, { sort: next === 'state' ? null : next, page: null }))}>
        {label}
        <i aria-hidden="true">{active ? (descending ? '↓' : '↑') : ''}</i>
      </button>
    </th>
  )
}

type RowProps = Pick<TableProps, 'failed' | 'hasCertificates' | 'selection' | 'now'> & { entry: ListRow; narrow: boolean; links: Links }

function CheckRow({ entry, failed, narrow, hasCertificates, selection, links, now }: RowProps) {
  const { check, state, typeLabel, availability, p95 } = entry
  const lastRun = entry.lastRun !== null && <Time at={entry.lastRun} relative />
  const trouble = state === 'failing' && <TroubleNote status={entry.status} />
  const tags = <Tags tags={check.tags} hrefOf={links.ofTag} />
  return (
    <tr class="leads-on">
      {selection && (
        <td class="pick">
          <input
            type="checkbox"
            aria-label={`Select ${check.name}`}
            checked={selection.ids.has(check.id)}
            onChange={(event) => selection.toggle([check.id], event.currentTarget.checked)}
          />
        </td>
      )}
      {!narrow && <td class="state-column">{state === null ? <Skeleton /> : <StateMark state={state} />}</td>}
      <th scope="row" class="name">
        <RouteLink href={links.ofCheck(check.id)}>{check.name}</RouteLink>
        {check.muted && <span class="chip">muted</span>}
        {!narrow && tags}
        {!narrow && trouble}
      </th>
      {!narrow && <td class="type">{typeLabel}</td>}
      <td class={`number ${short(availability) ? 'short' : ''}`}>
        {availability === undefined && !failed ? <Skeleton /> : figure(availability, 'percentage')}
      </td>
      <td class="number">{p95 === undefined && !failed ? <Skeleton /> : figure(p95, 'milliseconds')}</td>
      {!narrow && hasCertificates && (
        <td class={`number ${expiresSoon(entry.certificate) ? 'short' : ''}`}>{certificateText(entry.certificate)}</td>
      )}
      <td class="day">
        {entry.hours === undefined && failed ? (
          '–'
        ) : (
          <DayBar hours={entry.hours} now={now} hrefOf={(window) => links.inWindow(check.id, window)} />
        )}
      </td>
      {narrow ? (
        <td class="about">
          {state !== null && <StateMark state={state} words={false} />} {lastRun && <>{lastRun} · </>}
          {typeLabel} {trouble}{' '}
          {expiresSoon(entry.certificate) && <span class="chip chip-alert">certificate: {certificateText(entry.certificate)}</span>}
          {tags}
        </td>
      ) : (
        <td class="last number">{lastRun || '–'}</td>
      )}
    </tr>
  )
}

function expiresSoon(days: number | null): boolean {
  return days !== null && days < soonDays
}

function certificateText(days: number | null): string {
  if (days === null) return '–'
  return days < 0 ? 'expired' : plural(days, 'day')
}

function short(availability: number | null | undefined): boolean {
  return typeof availability === 'number' && availability < 99
}

type Links = { ofCheck(id: string): string; inWindow(id: string, window: TimeWindow): string; ofTag(tag: string): string }

/** The links of a row: to the check with the same window, and to the checks of a tag. */
function linksFrom(route: Route): Links {
  const window = withQuery({ path: '', query: new URLSearchParams() }, windowOnly(route.query))
  const tags = new Map<string, string>()
  return {
    ofCheck: (id) => `/checks/${id}${window}`,
    inWindow: (id, chosen) => withQuery({ path: `/checks/${id}`, query: new URLSearchParams() }, windowChanges(chosen)),
    ofTag(tag) {
      const href = tags.get(tag) ?? withQuery({ ...route, path: '/' }, { tag, page: null })
      tags.set(tag, href)
      return href
    },
  }
}

/** Whether a media query matches, for decisions that CSS cannot make. */
function useMedia(condition: string): boolean {
  const [matches, setMatches] = useState(() => matchMedia(condition).matches)
  useEffect(() => {
    const query = matchMedia(condition)
    const follow = () => setMatches(query.matches)
    query.addEventListener('change', follow)
    return () => query.removeEventListener('change', follow)
  }, [condition])
  return matches
}
