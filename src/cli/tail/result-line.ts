import { withoutControls } from '../../text/without-controls.ts'
import type { Paint, PaintTone } from '../terminal/paint.ts'

/** The properties of a result's entry that a line shows. */
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

/** One line for a result, without control characters: a server that is checked may write anything into an error. */
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
