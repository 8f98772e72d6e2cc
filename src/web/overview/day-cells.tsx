import { useRef, useState } from 'preact/hooks'
import { RouteLink } from '../state/route.tsx'
import { figure, plural } from '../view/figures.ts'
import { dayText } from '../view/time.tsx'
import { type Day, daysShown } from './days.ts'

type DayCellsProps = { readonly label: string; readonly days: readonly Day[]; hrefOf(day: Day): string }

/** A cell for each day, filled by its share of failed runs, that leads to the day. One tab stop; arrow keys move along the days. */
export function DayCells({ label, days, hrefOf }: DayCellsProps) {
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
        <li key={day.from}>
          <RouteLink
            href={hrefOf(day)}
            class={day.total === 0 ? 'day-cell day-cell-none' : 'day-cell'}
            aria-label={inWords(day)}
            title={inWords(day)}
            tabIndex={index === current ? 0 : -1}
            style={{ '--failed': `${failedShare(day)}%` }}
          >
            {''}
          </RouteLink>
        </li>
      ))}
    </ul>
  )
}

/** As much room as the days will take. */
export function DayCellsWaiting() {
  return (
    <ul class="day-cells" aria-hidden="true">
      {Array.from({ length: daysShown }, (_, index) => (
        <li key={index} class="day-cell day-cell-none" />
      ))}
    </ul>
  )
}

/** Any failure is seen. */
function failedShare({ total, success }: Day): number {
  return total === success ? 0 : Math.max(25, (1 - success / total) * 100)
}

function inWords({ from, total, success }: Day): string {
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
