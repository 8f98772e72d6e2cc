import type { Resource } from '../api/use-resource.ts'
import { failureSteps } from '../view/failure-step.ts'
import { ProblemNotice } from '../view/notice.tsx'
import { type DayStrip, DayStrips } from './day-strips.tsx'
import { daysShown } from './days.ts'

type DaysPanelProps = {
  /** What the days are of. */
  readonly of: Resource<unknown>
  readonly strips: readonly DayStrip[]
  /** There is one line, of what the view is about. */
  readonly alone?: boolean
}

/** The last ninety days, with what their colours mean. */
export function DaysPanel({ of, strips, alone = false }: DaysPanelProps) {
  return (
    <section class="panel" data-panel="days" aria-busy={of.data === undefined && of.problem === undefined}>
      <header>
        <h2>{daysShown} days</h2>
        <DayLegend />
      </header>
      <ProblemNotice of={of} />
      <DayStrips strips={strips} alone={alone} />
    </section>
  )
}

function DayLegend() {
  return (
    <span class="day-legend note">
      {failureSteps.map(({ name, label }) => (
        <span key={name}>
          <i class={`day-cell day-${name}`} /> {label}
        </span>
      ))}
    </span>
  )
}
