import { setMaxListeners } from 'node:events'
import { type Check, refOf } from '../../catalogue/catalogue.ts'
import { execute } from '../../runner/execute.ts'
import { createGate } from '../../runner/gate.ts'
import { environmentOf, type Runner, type RunnerOptions, startRunner } from '../../runner/runner.ts'
import type { Result } from '../../store/store.ts'

type LiveOptions = RunnerOptions & {
  /** Told of a check that cannot be run on this machine, and why. */
  readonly onUnable: (check: Check, reason: string) => void
}

/**
 * Runs the demo's checks from now on. Those there at the start are tried first, at once: one that cannot be run on this machine
 * (no browser, no `ping`) is left out rather than shown failing.
 */
export function startLive(options: LiveOptions): Runner {
  const { catalogue, store, log, onUnable } = options
  const toTry = catalogue.allChecks().filter(({ activated, checkType }) => activated && checkType.run !== undefined)
  const leftOut = new Set(toTry.map(({ id }) => id))
  const fit = () => catalogue.allChecks().filter(({ id }) => !leftOut.has(id))
  const runner = startRunner({ ...options, catalogue: { service: () => catalogue.service(), allChecks: fit } })
  const closing = new AbortController()
  setMaxListeners(0, closing.signal)
  const gates = { light: createGate(1), heavy: createGate(1) }

  async function runAt(check: Check, runLocation: string): Promise<Result | undefined> {
    const { signal } = closing
    const place = (check.checkType.heavy ? gates.heavy : gates.light).enter
    const executed = await execute(
      { check: { ...check, retry: null }, runLocation, signal, patience: signal, place },
      environmentOf(options),
    )
    return executed?.result
  }

  async function tryOut(check: Check): Promise<void> {
    const first = await runAt(check, check.locations[0] ?? 'default')
    if (first === undefined) return
    if (first.hasErrors) {
      onUnable(check, first.error ?? 'it could not be run')
      return
    }
    leftOut.delete(check.id)
    runner.reload()
    await store.append((await firstResults(check, first)).map((result) => ({ check: refOf(check), result })))
  }

  /** The first run of a light type is slowed by all that is loaded for it, so others are shown. */
  async function firstResults(check: Check, first: Result): Promise<readonly Result[]> {
    if (check.checkType.heavy) return [first]
    const results = await Promise.all(check.locations.map((location) => runAt(check, location)))
    return results.filter((result) => result !== undefined)
  }

  const notTried = (err: unknown) => log.error({ err }, 'A check of the demo could not be tried.')
  const tried = Promise.all(toTry.map((check) => tryOut(check).catch(notTried)))
  return {
    reload: runner.reload,
    async close() {
      closing.abort()
      await tried
      await runner.close()
    },
  }
}
