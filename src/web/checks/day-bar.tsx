import { useState } from 'preact/hooks'
import { hourMs } from '../../time.ts'
import type { Hour } from '../api/answers.ts'
import { RouteLink } from '../state/route.tsx'
import { defaultWindow, type TimeWindow } from '../state/window.ts'
import { plural } from '../view/figures.ts'
import { minuteText, zoneText } from '../view/time.tsx'
import { dayStart, hoursOfDay } from './day.ts'

const step = 5
const tall = 18

type DayBarProps = {
  readonly hours: readonly Hour[] | undefined
  readonly now: number
  hrefOf(window: TimeWindow): string
}

/** The last 24 hours; the fill of an hour is its share of failed runs. An hour under the pointer leads to its window, all else to the day. */
export function DayBar({ hours, now, hrefOf }: DayBarProps) {
  const [pointed, setPointed] = useState<number | null>(null)
  if (hours === undefined) return <span class="day-bar day-bar-waiting" aria-hidden="true" />
  const slots = hoursOfDay(hours, now)
  const words = inWords(slots, dayStart(now))
  const point = (event: MouseEvent) => {
    const { left, width } = (event.currentTarget as Element).getBoundingClientRect()
    setPointed(Math.min(slots.length - 1, Math.max(0, Math.floor(((event.clientX - left) / width) * slots.length))))
  }
  const start = dayStart(now) + (pointed ?? 0) * hourMs
  return (
    <RouteLink
      class="day-link"
      href={hrefOf(pointed === null ? defaultWindow : { from: start, to: start + hourMs })}
      onMouseMove={point}
      onMouseLeave={() => setPointed(null)}
    >
      <svg class="day-bar" viewBox={`0 0 ${slots.length * step - 1} ${tall}`} preserveAspectRatio="none" role="img" aria-label={words}>
        <title>{words}</title>
        <path class="day-none" d={rects(slots, (hour) => (hour === undefined ? 0.12 : 0))} />
        <path class="day-fine" d={rects(slots, (hour) => (hour === undefined ? 0 : 1))} />
        <path class="day-failing" d={rects(slots, failed)} />
      </svg>
    </RouteLink>
  )
}

function failed(hour: Hour | undefined): number {
  if (hour === undefined || hour.total === hour.success) return 0
  return Math.max(0.3, 1 - hour.success / hour.total)
}

function rects(slots: readonly (Hour | undefined)[], share: (hour: Hour | undefined) => number): string {
  return slots
    .map((hour, index) => {
      const height = share(hour) * tall
      return height === 0 ? '' : `M${index * step} ${tall}h${step - 1}v${-height}h${1 - step}z`
    })
    .join('')
}

function inWords(slots: readonly (Hour | undefined)[], first: number): string {
  const failing = slots.flatMap((hour, index) =>
    hour !== undefined && hour.success < hour.total
      ? [`${minuteText(first + index * hourMs)}: ${hour.total - hour.success} of ${plural(hour.total, 'run')} failed`]
      : [],
  )
  if (slots.every((hour) => hour === undefined)) return 'No runs in the last 24 hours'
  return failing.length === 0 ? 'No failures in the last 24 hours' : `Last 24 hours, ${zoneText(first)}. ${failing.join('; ')}`
}
