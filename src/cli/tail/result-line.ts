import { withoutControls } from '../../text/without-controls.ts'
import type { Paint, PaintTone } from '../terminal/paint.ts'

export type LiveResult = {
  readonly name: string
  readonly startedAt: string
  readonly runLocation: string
  readonly hasFailures: boolean
  readonly isDegraded: boolean
  readonly responseTime: number | null
  readonly attempts: number
  readonly error: string | null
}

/** One line for a result. Control characters are removed, because a monitored server controls the error text. */
export function resultLine(result: LiveResult, paint: Paint): string {
  const { startedAt, name, runLocation, responseTime, attempts, error } = result
  const [tone, state] = stateOf(result)
  const facts = [
    name,
    runLocation,
    ...(responseTime === null ? [] : [`${Math.round(responseTime)} ms`]),
    ...(attempts > 1 ? [`${attempts} attempts`] : []),
    ...(error === null ? [] : [error]),
  ]
  const time = startedAt.replace(/\.\d+Z$/, 'Z')
  return `${paint('faint', time)}  ${paint(tone, state)}  ${withoutControls(facts.join('  '))}`
}

function stateOf({ hasFailures, isDegraded }: LiveResult): readonly [PaintTone, string] {
  if (hasFailures) return ['bad', '✗ failing ']
  return isDegraded ? ['fair', '! degraded'] : ['good', '✓ passing ']
}
