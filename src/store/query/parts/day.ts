import type { CheckRef } from '../../../ids/check-ref.ts'
import type { Window } from '../../store.ts'
import type { Part } from './part.ts'

/** The results of one day within a window, read lazily. */
export type LazyDay = { readonly count: () => number; readonly part: () => Part }
/** A day by its number since 1970-01-01, in UTC. */
export type NumberedDay = LazyDay & { readonly day: number }

/** Whether a question needs every day of its window, or may end early. */
type ReadMode = 'all at once' | 'day by day'

export type DayReader = {
  /** The results of a check in a window, by day in order of time. */
  days(check: CheckRef, window: Window, mode: ReadMode): readonly NumberedDay[]
  /** Whether any result may have started before an instant. */
  hasBefore(check: CheckRef, instant: number): boolean
}
