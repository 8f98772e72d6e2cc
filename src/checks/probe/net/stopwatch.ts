/** Measures phases that follow one another, each in whole microseconds; a phase that comes again adds to itself. */
export type Stopwatch<Phase extends string> = {
  /** Ends the phase under way and begins this one; `at` is what people call the step, where it is less than the phase. */
  readonly start: (phase: Phase, at?: string) => void
  readonly stop: () => void
  /** Ends the phase under way as if it had never begun; what it measured before stays. */
  readonly drop: () => void
  /** The step under way, or the last one. */
  readonly at: () => string
  /** Milliseconds; null for a phase that never began or never ended. */
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
