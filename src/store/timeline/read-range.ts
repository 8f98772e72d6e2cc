import type { Window } from '../store.ts'
import { holdsOf, type Regime } from './regime.ts'
import type { OpenInterval } from './sweep.ts'

/** The start of the results that must be read for the state at an instant: no earlier result still holds then. */
export function readFrom(regimes: readonly Regime[], instant: number): number {
  const holding = holdsOf(regimes).filter(({ from, to, ms }) => from <= instant && to + ms > instant)
  return Math.min(instant, ...holding.map(({ from, ms }) => Math.max(from, instant - ms)))
}

/** The instant from which the states are certain, if only results from `readFrom` on were read. */
export function settledFrom(regimes: readonly Regime[], readFrom: number): number {
  const unread = holdsOf(regimes).filter(({ from }) => from < readFrom)
  return Math.max(readFrom, ...unread.map(({ to, ms }) => Math.min(to, readFrom) + ms))
}

/** Whether an outage may have begun before the states are certain, so that earlier results must be read to see it whole. */
export function mayBeginEarlier(open: OpenInterval, settledFrom: number): boolean {
  return open.state === 'down' && open.from <= settledFrom
}

/** Whether an outage that touches the window may end after the results read so far, so that later ones must be read. */
export function mayEndLater(open: OpenInterval, window: Window): boolean {
  return open.state === 'down' && open.from <= window.to
}
