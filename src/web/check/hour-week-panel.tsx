import { useState } from 'preact/hooks'
import { dayMs } from '../../time.ts'
import type { Series } from '../api/answers.ts'
import { queryRequest } from '../api/windowed-query.ts'
import { endsOf, type TimeWindow } from '../state/window.ts'
import { readerZone } from '../state/zone.ts'
import { Choice } from '../view/fields.tsx'
import { figure, plural } from '../view/figures.ts'
import { Notice } from '../view/notice.tsx'
import { failedStep, type HourCell, type HourWeek, heatStep, heatSteps, hourWeekOf, weekdayNames } from './hour-week.ts'
import { LazyPanel } from './lazy-panel.tsx'
import type { PanelContext } from './panel.ts'

const height = 236
/** A shorter window has too few samples per hour of the week. */
const shortestMs = 14 * dayMs
const month: TimeWindow = { preset: 'last30Days' }
const slowMetric = 'duration_p95'

type Shown = 'slow' | 'failed'

/** The hours of the week in which the check is slow or fails. */
export function HourWeekPanel({ context, now }: { readonly context: PanelContext; readonly now: number }) {
  const { check, checkType, state } = context
  const [chosen, setShown] = useState<Shown>('slow')
  const shown = checkType.duration === null ? 'failed' : chosen
  const ends = endsOf(state.window, now)
  const isLong = ends.to - ends.from >= shortestMs
  const query = {
    window: isLong ? state.window : month,
    checks: { ids: [check.id] },
    metrics: ['availability', ...(checkType.duration === null ? [] : [slowMetric])],
    groupBy: ['dayOfWeek', 'hourOfDay'],
    timezone: readerZone(),
    limit: 200,
  }
  return (
    <LazyPanel
      id="hour-week"
      title="Hours of the week"
      note={`${shown === 'slow' ? 'p95' : 'failed runs'} by weekday and hour${isLong ? '' : ', last 30 days'}`}
      height={height}
      source={`hour-week ${JSON.stringify(query)}`}
      load={async (api, signal) => {
        const { data } = await api.request<{ series: readonly Series[] }>(queryRequest(query), signal)
        return hourWeekOf(data.series, slowMetric)
      }}
      actions={
        checkType.duration !== null && (
          <Choice
            label="Colour by"
            value={shown}
            options={choices}
            onChange={(value) => setShown(value === 'failed' ? 'failed' : 'slow')}
          />
        )
      }
    >
      {(week) => <HeatMap week={week} shown={shown} />}
    </LazyPanel>
  )
}

const choices = [
  { value: 'slow', label: 'slow' },
  { value: 'failed', label: 'failed' },
]

function HeatMap({ week, shown }: { week: HourWeek; shown: Shown }) {
  const [pointed, setPointed] = useState('')
  const slow = week.flat().flatMap((cell) => (typeof cell?.slow === 'number' ? [cell.slow] : []))
  const stepOf = (cell: HourCell | undefined) => (shown === 'slow' ? heatStep(cell?.slow, slow) : failedStep(cell?.availability))
  if (week.flat().every((cell) => cell === undefined)) return <Notice title="No runs in this period." />
  if (shown === 'slow' && slow.length === 0) return <Notice title="No measurements in this period." />
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section class={`heat heat-${shown}`} tabIndex={0} aria-label="Hours of the week">
      <table onMouseLeave={() => setPointed('')}>
        <thead>
          <tr>
            <td />
            {week[0]?.map((_, hour) => (
              <th key={hour} scope="col">
                {hour}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {week.map((hours, day) => (
            <tr key={day}>
              <th scope="row">{weekdayNames[day]?.slice(0, 3)}</th>
              {hours.map((cell, hour) => (
                <td key={hour} class={`heat-cell heat-${stepOf(cell)}`} onMouseEnter={() => setPointed(inWords(cell, day, hour))}>
                  <span class="unseen">{cell === undefined ? 'no runs' : valueText(cell, shown)}</span>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <p class="note heat-key">
        <span>{pointed || (shown === 'slow' ? figure(Math.min(...slow), 'milliseconds') : 'none failed')}</span>
        {pointed === '' && Array.from({ length: heatSteps }, (_, step) => <i key={step} class={`heat-cell heat-${step + 1}`} />)}
        {pointed === '' && <span>{shown === 'slow' ? figure(Math.max(...slow), 'milliseconds') : 'over 20 % failed'}</span>}
      </p>
    </section>
  )
}

function valueText({ slow, availability }: HourCell, shown: Shown): string {
  return shown === 'slow' ? figure(slow, 'milliseconds') : figure(availability, 'percentage')
}

function inWords(cell: HourCell | undefined, day: number, hour: number): string {
  const when = `${weekdayNames[day]} ${hour}–${hour + 1} h`
  if (cell === undefined) return `${when}: no runs`
  const slow = cell.slow === null ? [] : [`p95 ${figure(cell.slow, 'milliseconds')}`]
  return `${when}: ${[...slow, `availability ${figure(cell.availability, 'percentage')}`, plural(cell.total, 'run')].join(', ')}`
}
