import { type Check, refOf, uniqueName } from '../catalogue/catalogue.ts'
import type { FiledResult } from '../store/store.ts'
import type { RunEnvironment } from './attempt.ts'
import { type Clock, pause } from './clock.ts'
import { execute } from './execute.ts'
import { createGate } from './gate.ts'
import type { Log } from './log.ts'
import { errorWithoutSecrets } from './without-secrets.ts'

/** The runs under way: never two of a check and location, never more than there are places. */
export type Runs = {
  /** Runs a check once at a location, unless it is still running there. */
  begin(check: Check, runLocation: string, environment: RunEnvironment): void
  /** Cuts off the runs of a check; they are no results. */
  cancel(check: Pick<Check, 'account' | 'id'>): void
  /** Lets runs finish for so long, then cuts off the rest. */
  close(graceMs: number): Promise<void>
}

/** How many runs go on at a time: of a browser or test runner, and of anything else. */
export type Places = { readonly light: number; readonly heavy: number }

type RunsOptions = { readonly places: Places; readonly clock: Clock; readonly log: Log; readonly put: (result: FiledResult) => void }

type Current = {
  readonly check: Check
  readonly runLocation: string
  readonly abort: AbortController
  readonly patience: AbortController
  done: Promise<void>
  /** A later run was left out because of this one. */
  delaying: boolean
}

export function createRuns({ places, clock, log, put }: RunsOptions): Runs {
  const gates = { light: createGate(places.light), heavy: createGate(places.heavy) }
  const currents = new Map<string, Current>()

  function begin(check: Check, runLocation: string, environment: RunEnvironment): void {
    const key = `${uniqueName(check)} ${runLocation}`
    const current = currents.get(key)
    if (current) {
      sayDelay(current)
      return
    }
    const started: Current = { check, runLocation, ...signals(), done: Promise.resolve(), delaying: false }
    currents.set(key, started)
    started.done = follow(started, environment)
      .catch((error: unknown) => environment.onBug(check, errorWithoutSecrets(error, check)))
      .finally(() => currents.delete(key))
  }

  function sayDelay(current: Current): void {
    if (current.delaying) return
    current.delaying = true
    const { account, id } = current.check
    log.warn({ account, checkId: id, location: current.runLocation }, 'A run is left out because the one before it has not ended.')
  }

  async function follow({ check, runLocation, abort, patience }: Current, environment: RunEnvironment): Promise<void> {
    const gate = check.checkType.heavy ? gates.heavy : gates.light
    const run = { check, runLocation, signal: abort.signal, patience: patience.signal, place: gate.enter }
    const executed = await execute(run, environment)
    if (executed) put({ check: refOf(check), result: executed.result })
  }

  function cancel(check: Pick<Check, 'account' | 'id'>): void {
    for (const current of currents.values()) if (uniqueName(current.check) === uniqueName(check)) cutOff(current)
  }

  async function close(graceMs: number): Promise<void> {
    const left = [...currents.values()]
    for (const { patience } of left) patience.abort()
    const ended = Promise.all(left.map(({ done }) => done))
    const finished = new AbortController()
    await Promise.race([ended, pause(clock, graceMs, finished.signal)])
    finished.abort()
    for (const current of currents.values()) cutOff(current)
    await ended
  }

  return { begin, cancel, close }
}

function signals(): Pick<Current, 'abort' | 'patience'> {
  return { abort: new AbortController(), patience: new AbortController() }
}

function cutOff({ abort, patience }: Current): void {
  patience.abort()
  abort.abort(new DOMException('The runner stops.', 'AbortError'))
}
