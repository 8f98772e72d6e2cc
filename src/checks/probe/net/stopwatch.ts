/** Measures consecutive phases in whole microseconds; a repeated phase accumulates. */
export type Stopwatch<Phase extends string> = {
  /** Ends the current phase and begins this one; `at` names the step within it. */
  readonly start: (phase: Phase, at?: string) => void
  readonly stop: () => void
  /** Discards the current phase; time that the phase accumulated earlier stays. */
  readonly drop: () => void
  /** The current step, or the last one. */
  readonly at: () => string
  /** Milliseconds; null for a phase that did not begin or end. */
  readonly phases: () => Readonly<Record<Phase, number | null>>
  /** Milliseconds: exactly the sum of the phases. */
  readonly total: () => number
}

export function stopwatch<const Phase extends string>(names: readonly Phase[], now = () => performance.now()): Stopwatch<Phase> {
  const micros = new Map<Phase, number>()
  let current: { readonly phase: Phase; readonly since: number } | undefined
  let step = ''

  const instant = () => Math.round(now() * 1000)
  const finish = (at: number) => {
    if (current) micros.set(current.phase, (micros.get(current.phase) ?? 0) + at - current.since)
    current = undefined
  }
  const measured = (phase: Phase) => (phase === current?.phase ? undefined : micros.get(phase))

  return {
    start(phase, at = phase) {
      const since = instant()
      finish(since)
      current = { phase, since }
      step = at
    },
    stop: () => finish(instant()),
    drop() {
      current = undefined
    },
    at: () => step,
    phases: () => Object.fromEntries(names.map((phase) => [phase, inMs(measured(phase))])) as Record<Phase, number | null>,
    total: () => names.reduce((sum, phase) => sum + (measured(phase) ?? 0), 0) / 1000,
  }
}

function inMs(micros: number | undefined): number | null {
  return micros === undefined ? null : micros / 1000
}
