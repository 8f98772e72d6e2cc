import type { Resource } from '../api/use-resource.ts'
import { failureSteps } from '../view/failure-step.ts'
import { ProblemNotice } from '../view/notice.tsx'
import { type DayStrip, DayStrips } from './day-strips.tsx'
import { daysShown } from './days.ts'

type DaysPanelProps = {
  /** The loaded resource behind the days. */
  readonly of: Resource<unknown>
  readonly strips: readonly DayStrip[]
  /** Whether the panel has a single row, for the view's own subject. */
  readonly alone?: boolean
}

/** The last ninety days, with a legend. */
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
