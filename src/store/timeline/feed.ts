import { dayMs } from '../../time.ts'
import type { Window } from '../store.ts'
import type { ResultRows } from './changes.ts'
import { mayBeginEarlier, mayEndLater, readFrom, settledFrom } from './read-range.ts'
import type { Regime } from './regime.ts'
import type { OpenInterval } from './sweep.ts'

export type ResultSource = {
  /** Results that started within a window, in order. */
  chunks(window: Window): Iterable<ResultRows>
  /** Whether any result may have started before an instant. */
  hasBefore(instant: number): boolean
}

/** A sweep, or one for each location. */
export type Feedable = {
  push(chunk: ResultRows): void
  /** The open intervals at `readTo`, once all results up to it have been pushed. */
  settle(readTo: number): readonly OpenInterval[]
  end(): void
}

type FeedOptions = {
  /** Creates another sweep for looking back, whose output is ignored. */
  readonly probe: () => Feedable
  readonly regimes: readonly Regime[]
  readonly window: Window
  readonly now: number
  /** Whether outages that touch the window must be seen whole. */
  readonly wholeOutages: boolean
}

const firstStepMs = dayMs

/** Feeds a sweep with exactly the results that the states of a window depend on. */
export function feed(target: Feedable, source: ResultSource, options: FeedOptions): void {
  const { window, now, wholeOutages, regimes } = options
  const start = wholeOutages ? startOfOutages(source, options) : readFrom(regimes, window.from)
  pushAll(target, source, { from: start, to: window.to })
  if (wholeOutages) feedUntilOver(target, source, { window, now })
  target.end()
}

/** Looks back in growing steps while an outage at the start of the window may have begun earlier. */
function startOfOutages(source: ResultSource, { probe, regimes, window, now }: FeedOptions): number {
  const instant = Math.min(window.from, now)
  let start = readFrom(regimes, instant)
  for (let stepMs = firstStepMs; source.hasBefore(start); stepMs *= 2) {
    const probing = probe()
    pushAll(probing, source, { from: start, to: instant })
    const certainFrom = settledFrom(regimes, start)
    if (!probing.settle(instant).some((open) => mayBeginEarlier(open, certainFrom))) break
    start -= stepMs
  }
  return start
}

/** Reads ahead in growing steps while an outage of the window may continue. */
function feedUntilOver(target: Feedable, source: ResultSource, { window, now }: Pick<FeedOptions, 'window' | 'now'>): void {
  let readTo = window.to
  for (let stepMs = firstStepMs; readTo < now; stepMs *= 2) {
    if (!target.settle(readTo).some((open) => mayEndLater(open, window))) return
    const next = Math.min(now, readTo + stepMs)
    pushAll(target, source, { from: readTo + 1, to: next })
    readTo = next
  }
}

function pushAll(target: Feedable, source: ResultSource, window: Window): void {
  for (const chunk of source.chunks(window)) target.push(chunk)
}
