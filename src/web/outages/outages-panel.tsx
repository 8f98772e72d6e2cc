import { useState } from 'preact/hooks'
import { useResource } from '../api/use-resource.ts'
import { ExportButton } from '../share/export-dialog.tsx'
import type { Route } from '../state/route.tsx'
import type { TimeWindow } from '../state/window.ts'
import { elapsed } from '../view/elapsed.ts'
import { plural } from '../view/figures.ts'
import { Notice, ProblemNotice, Skeleton } from '../view/notice.tsx'
import { loadOutages, type OutageFilter, type OutagesFound, outagesExport } from './outage-query.ts'
import { OutagesTable } from './outages-table.tsx'

/** More rows than anyone reads, and as many as a browser draws at once. */
const mostShown = 5000
const growth = 4

type OutagesPanelProps = {
  readonly filter: OutageFilter
  readonly window: TimeWindow
  /** The view of their check; null where they are of several. */
  readonly check: Pick<Route, 'path' | 'query'> | null
  /** Of the file that they are exported to. */
  readonly name: string
  /** How many of those that are over are listed at first. */
  readonly first: number
  /** What to say without any. */
  readonly none: string
  readonly now: number
  /** Changes when there may be others; by default whenever figures may have changed. */
  readonly revision?: string
}

/** The outages of a window: those that last, then the others, newest first, with how many there are and how long they are together. */
export function OutagesPanel({ filter, window, check, name, first, none, now, revision = '' }: OutagesPanelProps) {
  const chosen = JSON.stringify([filter, window])
  const [more, setMore] = useState({ chosen, limit: first })
  const limit = more.chosen === chosen ? more.limit : first
  const outages = useResource(`outages ${chosen} ${limit} ${revision}`, (api, signal) =>
    loadOutages(api, { filter, window, limit, signal }),
  )
  const { data, problem, loading } = outages
  return (
    <section id="outages" class={`panel outages ${loading ? 'loading' : ''}`} aria-busy={loading} data-panel="outages">
      <header>
        <h2>Outages</h2>
        <span class="note">{data === undefined || data.total === 0 ? 'when a check was down' : countText(data)}</span>
        <span class="actions">
          <ExportButton of="Outages" exported={data && (() => outagesExport(name, filter, window))} />
        </span>
      </header>
      <ProblemNotice of={outages} />
      {data === undefined && problem === undefined && <Skeleton lines={3} height={28} />}
      {data?.total === 0 && <Notice title={none} />}
      {data !== undefined && data.outages.length > 0 && <OutagesTable outages={data.outages} check={check} now={now} />}
      {data !== undefined && data.outages.length < data.total && (
        <More shown={data.outages.length} limit={limit} onMore={() => setMore({ chosen, limit: Math.min(mostShown, limit * growth) })} />
      )}
    </section>
  )
}

/** `50 of 695 outages, 1 of them open; 7 h 12 min together`. */
export function countText({ outages, total, open, seconds }: OutagesFound): string {
  const listed = outages.length < total ? `${outages.length.toLocaleString()} of ${plural(total, 'outage')}` : plural(total, 'outage')
  const lasting = open === 0 ? '' : open === total ? ', still open' : `, ${open.toLocaleString()} still open`
  return `${listed}${lasting}; ${elapsed(seconds * 1000)} together`
}

function More({ shown, limit, onMore }: { shown: number; limit: number; onMore(): void }) {
  if (limit >= mostShown)
    return <p class="note">Only the newest {shown.toLocaleString()} are listed. Choose a shorter window for others.</p>
  return (
    <p>
      <button type="button" onClick={onMore}>
        Show more
      </button>
    </p>
  )
}
