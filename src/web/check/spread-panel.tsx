import { useState } from 'preact/hooks'
import type { Row, Series } from '../api/answers.ts'
import type { Api } from '../api/client.ts'
import { queryRequest, type WindowedQuery } from '../api/windowed-query.ts'
import { figure, plural, tick } from '../view/figures.ts'
import { Notice } from '../view/notice.tsx'
import { ScrollingTable } from '../view/scrolling-table.tsx'
import { LazyPanel } from './lazy-panel.tsx'
import type { PanelContext } from './panel.ts'
import { isLabelled, type SpreadBar, spreadBars, spreadBounds } from './spread.ts'

const height = 168

type Spread = { readonly bars: readonly SpreadBar[]; readonly percentiles: Row | undefined; readonly metric: string }

export function SpreadPanel({ context }: { readonly context: PanelContext }) {
  const [asTable, setAsTable] = useState(false)
  const { duration, metrics } = context.checkType
  const { metric } = context.state
  const chosen = metric.unit === 'milliseconds' && !metric.perPage ? metric : metrics.find(({ name }) => name === duration)
  if (chosen === undefined) return null
  const question = questionOf(context)
  return (
    <LazyPanel
      id="spread"
      title="Distribution"
      note={`of ${chosen.label.toLowerCase()}, all runs together`}
      height={height}
      source={`spread ${JSON.stringify([question, chosen.name])}`}
      load={(api, signal) => loadSpread(api, question, chosen.name, signal)}
      actions={
        <button type="button" class="quiet-button" aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>
          Table
        </button>
      }
    >
      {(spread) => (asTable ? <SpreadTable spread={spread} /> : <SpreadChart spread={spread} />)}
    </LazyPanel>
  )
}

function questionOf({ check, state: { window, status } }: PanelContext): WindowedQuery {
  const filter = status === 'success' || status === 'failure' ? { filter: { status: [status] } } : {}
  return { window, checks: { ids: [check.id] }, ...filter }
}

async function loadSpread(api: Api, question: WindowedQuery, metric: string, signal: AbortSignal): Promise<Spread> {
  const ask = async (body: object) => {
    const { data } = await api.request<{ series: readonly Series[] }>(queryRequest({ ...question, ...body }), signal)
    return data.series[0]?.data ?? []
  }
  const [percentiles] = await ask({ metrics: ['p50', 'p95', 'p99'].map((name) => `${metric}_${name}`) })
  const p99 = percentiles?.[`${metric}_p99`]
  if (typeof p99 !== 'number') return { bars: [], percentiles, metric }
  return { bars: spreadBars(await ask({ metrics: [`${metric}_histogram`], bounds: spreadBounds(p99) })), percentiles, metric }
}

function SpreadChart({ spread: { bars, percentiles, metric } }: { spread: Spread }) {
  const most = Math.max(...bars.map(({ count }) => count))
  if (bars.length === 0) return <Empty />
  const words = ['p50', 'p95', 'p99'].map((name) => `${name} ${figure(Number(percentiles?.[`${metric}_${name}`]), 'milliseconds')}`)
  return (
    <div class="spread" role="img" aria-label={`${plural(totalOf(bars), 'run')}; ${words.join(', ')}`} style={{ height: `${height}px` }}>
      <p class="note">{words.join(' · ')}</p>
      <div class="spread-bars" aria-hidden="true">
        {bars.map((bar) => (
          <span key={bar.from} class="spread-place" title={`${rangeText(bar)}: ${plural(bar.count, 'run')}`}>
            <span class={bar.to === null ? 'spread-bar spread-rest' : 'spread-bar'} style={{ height: `${(bar.count / most) * 100}%` }} />
          </span>
        ))}
      </div>
      <div class="spread-axis" aria-hidden="true">
        {bars.map((bar, index) => (
          <span key={bar.from}>{isLabelled(index, bars.length) ? tick(bar.from, 'milliseconds') : ''}</span>
        ))}
      </div>
    </div>
  )
}

function SpreadTable({ spread: { bars } }: { spread: Spread }) {
  const total = totalOf(bars)
  if (total === 0) return <Empty />
  return (
    <ScrollingTable label="Distribution, as numbers" heads={['Duration', 'Runs', 'Share']} numbers={['Runs', 'Share']}>
      {bars.map((bar) => (
        <tr key={bar.from}>
          <td>{rangeText(bar)}</td>
          <td class="number">{bar.count.toLocaleString()}</td>
          <td class="number">{figure((bar.count / total) * 100, 'percentage')}</td>
        </tr>
      ))}
    </ScrollingTable>
  )
}

function Empty() {
  return <Notice title="No measurements in this window." />
}

const totalOf = (bars: readonly SpreadBar[]) => bars.reduce((sum, { count }) => sum + count, 0)

function rangeText({ from, to }: SpreadBar): string {
  return to === null ? `over ${tick(from, 'milliseconds')}` : `${tick(from, 'milliseconds')} to ${tick(to, 'milliseconds')}`
}
