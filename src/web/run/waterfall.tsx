import type { CheckType, ShownRun } from '../api/answers.ts'
import { figure } from '../view/figures.ts'

/** The phases of a run, each starting at the end of the previous one. */
export function Waterfall({ run, checkType }: { readonly run: ShownRun; readonly checkType: CheckType }) {
  const phases = phasesOf(run, checkType)
  if (phases.length === 0) return null
  const total = phases.reduce((sum, { ms }) => sum + ms, 0)
  return (
    <section class="panel" data-panel="phases">
      <header>
        <h2>Phases</h2>
        <span class="note">{figure(total, 'milliseconds')} total, last attempt</span>
      </header>
      <table class="waterfall">
        <thead class="unseen">
          <tr>
            <th scope="col">Phase</th>
            <th scope="col">Course</th>
            <th scope="col">Duration</th>
          </tr>
        </thead>
        <tbody>
          {phases.map(({ name, label, start, ms }, index) => (
            <tr key={name}>
              <th scope="row">{label}</th>
              <td class="waterfall-course">
                <span class={`waterfall-bar series-${(index % 6) + 1}`} style={{ left: share(start, total), width: share(ms, total) }} />
              </td>
              <td class="number">{figure(ms, 'milliseconds')}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

type Phase = { readonly name: string; readonly label: string; readonly start: number; readonly ms: number }

/** The measured phases, in order. */
function phasesOf(run: ShownRun, { phases, metrics }: CheckType): readonly Phase[] {
  let start = 0
  return phases.flatMap((name) => {
    const ms = run[name]
    if (typeof ms !== 'number') return []
    const phase = { name, label: metrics.find((metric) => metric.name === name)?.label ?? name, start, ms }
    start += ms
    return [phase]
  })
}

const share = (ms: number, total: number) => `${total === 0 ? 0 : (ms / total) * 100}%`
