import { useState } from 'preact/hooks'
import { useResource } from '../api/use-resource.ts'
import { ExportButton } from '../share/export-dialog.tsx'
import type { Route } from '../state/route.tsx'
import type { TimeWindow } from '../state/window.ts'
import { elapsed } from '../view/elapsed.ts'
import { plural } from '../view/figures.ts'
import { Notice, ProblemNotice, Skeleton } from '../view/notice.tsx'
import {
  firstOutage,
  loadOutages,
  type OutageFilter,
  type OutagePlace,
  type OutagesFound,
  outagesExport,
  outagesPerCall,
} from './outage-query.ts'
import { OutagesTable } from './outages-table.tsx'

const growth = 4
const panelId = 'outages'

type OutagesPanelProps = {
  readonly filter: OutageFilter
  readonly window: TimeWindow
  /** The view of the check; null if the outages are of several checks. */
  readonly check: Pick<Route, 'path' | 'query'> | null
  readonly name: string
  /** How many closed outages are listed at first. */
  readonly first: number
  /** The text without any outages. */
  readonly none: string
  readonly now: number
  /** Changes when outages may have changed; by default whenever figures may have. */
  readonly revision?: string
}

/** The outages of a window: open ones, then closed ones, newest first, with their number and total duration. */
export function OutagesPanel({ filter, window, check, name, first, none, now, revision = '' }: OutagesPanelProps) {
  const [listed, setListed] = useListed(JSON.stringify([filter, window]), first)
  const { chosen, limit, pages } = listed
  const { from, offset } = pages.at(-1) ?? firstPage
  const outages = useResource(`outages ${chosen} ${limit} ${JSON.stringify(from)} ${revision}`, (api, signal) =>
    loadOutages(api, { filter, window, limit, from, signal }),
  )
  const { data, problem, loading } = outages
  return (
    <section id={panelId} class={`panel outages ${loading ? 'loading' : ''}`} aria-busy={loading} data-panel="outages">
      <header>
        <h2>Outages</h2>
        <span class="note">{data === undefined || data.total === 0 ? 'when a check was down' : countText(data, offset)}</span>
        <span class="actions">
          <ExportButton of="Outages" exported={data && (() => outagesExport(name, { filter, window, total: data.total }))} />
        </span>
      </header>
      <ProblemNotice of={outages} />
      {data === undefined && problem === undefined && <Skeleton lines={3} height={28} />}
      {data?.total === 0 && <Notice title={none} />}
      {data !== undefined && data.outages.length > 0 && <OutagesTable outages={data.outages} check={check} now={now} />}
      {data !== undefined && <More found={data} listed={listed} onList={setListed} />}
    </section>
  )
}

type Page = { readonly from: OutagePlace; readonly offset: number }
/** The number of listed outages and the visited pages. A new selection starts with the first page. */
type Listed = { readonly chosen: string; readonly limit: number; readonly pages: readonly Page[] }

const firstPage: Page = { from: firstOutage, offset: 0 }

function useListed(chosen: string, first: number) {
  const fresh: Listed = { chosen, limit: first, pages: [] }
  const [listed, setListed] = useState(fresh)
  return [listed.chosen === chosen ? listed : fresh, setListed] as const
}

/** `50 of 695 outages, 1 of them open; 7 h 12 min together`; of a later page `1,001 to 2,000 of 2,345 outages`. */
function countText({ outages, total, open, seconds }: OutagesFound, offset = 0): string {
  const all = plural(total, 'outage')
  const last = (offset + outages.length).toLocaleString()
  const shown = offset > 0 ? `${(offset + 1).toLocaleString()} to ${last} of ${all}` : outages.length < total ? `${last} of ${all}` : all
  const lasting = open === 0 ? '' : open === total ? ', still open' : `, ${open.toLocaleString()} still open`
  return `${shown}${lasting}; ${elapsed(seconds * 1000)} together`
}

/** Extends the page up to its limit, then turns to the next page. */
function More({ found, listed, onList }: { found: OutagesFound; listed: Listed; onList(listed: Listed): void }) {
  const { limit, pages } = listed
  const { next, outages } = found
  if (limit < outagesPerCall && next !== null)
    return (
      <p>
        <button type="button" onClick={() => onList({ ...listed, limit: Math.min(outagesPerCall, limit * growth) })}>
          Show more
        </button>
      </p>
    )
  if (next === null && pages.length === 0) return null
  const offset = (pages.at(-1) ?? firstPage).offset + outages.length
  const turnTo = (turned: readonly Page[]) => {
    onList({ ...listed, pages: turned })
    document.getElementById(panelId)?.scrollIntoView()
  }
  return (
    <nav class="pager" aria-label="Pages of outages">
      {pages.length > 0 && (
        <button type="button" class="quiet-button" onClick={() => turnTo(pages.slice(0, -1))}>
          ← Newer
        </button>
      )}
      {next !== null && (
        <button type="button" class="quiet-button" onClick={() => turnTo([...pages, { from: next, offset }])}>
          Older →
        </button>
      )}
    </nav>
  )
}
