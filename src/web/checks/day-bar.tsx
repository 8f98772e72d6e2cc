import { useState } from 'preact/hooks'
import { hourMs } from '../../time.ts'
import type { Hour } from '../api/answers.ts'
import { RouteLink } from '../state/route.tsx'
import { defaultWindow, type TimeWindow } from '../state/window.ts'
import { type FailureStep, failureStep } from '../view/failure-step.ts'
import { plural } from '../view/figures.ts'
import { minuteText, zoneText } from '../view/time.tsx'
import { dayHourStarts, hoursOfDay } from './day.ts'

const step = 5
const tall = 18

type DayBarProps = {
  readonly hours: readonly Hour[] | undefined
  readonly now: number
  hrefOf(window: TimeWindow): string
}

/**
 * The last 24 hours, coloured by their share of failed runs. The hour under the pointer links to its window, everything else to the day.
 */
export function DayBar({ hours, now, hrefOf }: DayBarProps) {
  const [pointed, setPointed] = useState<number | null>(null)
  if (hours === undefined) return <span class="day-bar day-bar-waiting" aria-hidden="true" />
  const slots = hoursOfDay(hours, now)
  const starts = dayHourStarts(now)
  const words = inWords(slots, starts)
  const point = (event: MouseEvent) => {
    const { left, width } = (event.currentTarget as Element).getBoundingClientRect()
    setPointed(Math.min(slots.length - 1, Math.max(0, Math.floor(((event.clientX - left) / width) * slots.length))))
  }
  const start = starts[pointed ?? 0] ?? now
  const end = starts[(pointed ?? 0) + 1] ?? start + hourMs
  return (
    <RouteLink
      class="day-link"
      href={hrefOf(pointed === null ? defaultWindow : { from: start, to: end })}
      onMouseMove={point}
      onMouseLeave={() => setPointed(null)}
    >
      <svg class="day-bar" viewBox={`0 0 ${slots.length * step - 1} ${tall}`} preserveAspectRatio="none" role="img" aria-label={words}>
        <title>{words}</title>
        {hourSteps.map((step) => (
          <path key={step} class={`day-${step}`} d={rects(slots, step)} />
        ))}
      </svg>
    </RouteLink>
  )
}

const hourSteps: readonly FailureStep[] = ['none', 'fine', 'few', 'some', 'many']
const noRuns = { total: 0, success: 0 }

function rects(slots: readonly (Hour | undefined)[], of: FailureStep): string {
  return slots
    .map((hour, index) => (failureStep(hour ?? noRuns) === of ? `M${index * step} 0h${step - 1}v${tall}h${1 - step}z` : ''))
    .join('')
}

function inWords(slots: readonly (Hour | undefined)[], starts: readonly number[]): string {
  const [first = 0] = starts
  const failing = slots.flatMap((hour, index) =>
    hour !== undefined && hour.success < hour.total
      ? [`${minuteText(starts[index] ?? first)}: ${hour.total - hour.success} of ${plural(hour.total, 'run')} failed`]
      : [],
  )
  if (slots.every((hour) => hour === undefined)) return 'No runs in the last 24 hours'
  return failing.length === 0 ? 'No failures in the last 24 hours' : `Last 24 hours, ${zoneText(first)}. ${failing.join('; ')}`
}
