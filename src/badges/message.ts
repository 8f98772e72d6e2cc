import type { CheckState } from '../store/current-state.ts'
import { formatFigure } from './figure.ts'
import type { Badge } from './svg.ts'

export type BadgeMessage = Omit<Badge, 'label'>

/** The state of a check, followed by its mean response time if there is one. */
export function stateMessage(state: CheckState, meanMs: number | null): BadgeMessage {
  const message = meanMs === null ? state : `${state} | ${formatFigure(meanMs, 'milliseconds')}`
  return { message, tone: state }
}

/** The number of passing checks, coloured by the worst state; paused checks do not count. */
export function tallyMessage(states: readonly CheckState[]): BadgeMessage {
  const watched = states.filter((state) => state !== 'paused')
  if (watched.length === 0) return { message: 'paused', tone: 'paused' }
  const passing = watched.filter((state) => state === 'passing').length
  const worst = worstFirst.find((state) => watched.includes(state)) ?? 'passing'
  return { message: `${passing}/${watched.length} passing`, tone: worst }
}

const worstFirst = ['failing', 'degraded', 'unknown'] as const
