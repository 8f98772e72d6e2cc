import { useRef, useState } from 'preact/hooks'
import { RouteLink } from '../state/route.tsx'
import { failureStep } from '../view/failure-step.ts'
import { figure, plural } from '../view/figures.ts'
import { dayText } from '../view/time.tsx'
import { type Day, daysShown } from './days.ts'

type DayCellsProps = {
  readonly label: string
  readonly days: readonly Day[]
  hrefOf(day: Day): string
  /** Called with the day that is hovered or focused. */
  onPoint(day: Day): void
}

/** A link per day, coloured by its share of failed runs. A single tab stop; arrow keys move between days. */
export function DayCells({ label, days, hrefOf, onPoint }: DayCellsProps) {
  const list = useRef<HTMLUListElement>(null)
  const [current, setCurrent] = useState(days.length - 1)
  const move = (event: KeyboardEvent) => {
    const next = nextIndex(event.key, current, days.length)
    if (next === null) return
    event.preventDefault()
    setCurrent(next)
    list.current?.querySelectorAll('a')[next]?.focus()
  }
  return (
    <ul ref={list} class="day-cells" aria-label={label} onKeyDown={move}>
      {days.map((day, index) => (
        <li key={day.from} onMouseEnter={() => onPoint(day)} onFocusIn={() => onPoint(day)}>
          <RouteLink
            href={hrefOf(day)}
            class={`day-cell day-${failureStep(day)}`}
            aria-label={dayWords(day)}
            title={dayWords(day)}
            tabIndex={index === current ? 0 : -1}
          >
            {''}
          </RouteLink>
        </li>
      ))}
    </ul>
  )
}

/** A placeholder of the same size. */
export function DayCellsWaiting() {
  return (
    <ul class="day-cells" aria-hidden="true">
      {Array.from({ length: daysShown }, (_, index) => (
        <li key={index} class="day-cell day-none" />
      ))}
    </ul>
  )
}

/** `Nov 12: 99.2 %, 3 of 400 runs failed`. */
export function dayWords({ from, total, success }: Day): string {
  if (total === 0) return `${dayText(from)}: no runs`
  const failed = total === success ? 'no failures' : `${total - success} of ${plural(total, 'run')} failed`
  return `${dayText(from)}: ${figure((success / total) * 100, 'percentage')}, ${failed}`
}

function nextIndex(key: string, current: number, count: number): number | null {
  if (key === 'ArrowLeft') return Math.max(0, current - 1)
  if (key === 'ArrowRight') return Math.min(count - 1, current + 1)
  if (key === 'Home') return 0
  return key === 'End' ? count - 1 : null
}
