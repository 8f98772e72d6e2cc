import type { CheckType, ShownRun } from '../api/answers.ts'
import { RouteLink } from '../state/route.tsx'
import { figure } from '../view/figures.ts'
import { wordsOf } from '../view/words.ts'

type FiguresProps = {
  readonly run: ShownRun
  readonly checkType: CheckType
  /** The URL of the runs at a location, if there are others. */
  readonly runsAt?: ((location: string) => string) | undefined
}

/** The location of the run, and all its metrics except phases. */
export function Figures({ run, checkType, runsAt }: FiguresProps) {
  const { runLocation } = run
  return (
    <section class="tiles" aria-label="The run">
      <dl>
        {checkType.groupBy.some(({ by }) => by === 'location') && (
          <div class="tile">
            <dt>Location</dt>
            <dd>{runsAt ? <RouteLink href={runsAt(runLocation)}>{runLocation}</RouteLink> : runLocation}</dd>
          </div>
        )}
        {figuresOf(run, checkType).map(([label, value]) => (
          <div key={label} class="tile">
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

function figuresOf(run: ShownRun, { metrics, phases, duration, groupBy }: CheckType): readonly (readonly [string, string])[] {
  const fields = groupBy.filter(({ by }) => by === 'field').map(({ name }) => [wordsOf(name), textOf(run[name])] as const)
  const measured = metrics
    .filter(({ name, perPage }) => !perPage && !phases.includes(name) && name !== duration)
    .map(({ name, label, unit }) => [label, figure(numberOf(run[name]), unit)] as const)
  const took = metrics.filter(({ name }) => name === duration).map(({ label, unit }) => [label, figure(run.responseTime, unit)] as const)
  const state = typeof run.state === 'string' ? [['State', run.state.toLowerCase()] as const] : []
  return [['Attempts', String(run.attempts)], ...state, ...fields, ...took, ...measured]
}

const textOf = (value: unknown) => (typeof value === 'number' ? String(value) : '–')
const numberOf = (value: unknown) => (typeof value === 'number' ? value : null)
