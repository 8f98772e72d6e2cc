import type { Check } from '../../catalogue/catalogue.ts'
import { execute } from '../../runner/execute.ts'
import { createGate } from '../../runner/gate.ts'
import { environmentOf, type Runner, type RunnerOptions, startRunner } from '../../runner/runner.ts'

export type LiveOptions = RunnerOptions & {
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
  const gates = { light: createGate(10), heavy: createGate(1) }

  async function tryOut(check: Check): Promise<void> {
    const { signal } = closing
    const place = (check.checkType.heavy ? gates.heavy : gates.light).enter
    const once = { check: { ...check, retry: null }, runLocation: check.locations[0] ?? 'default', signal, patience: signal, place }
    const executed = await execute(once, environmentOf(options))
    if (executed === undefined) return
    const { result } = executed
    if (result.hasErrors) {
      onUnable(check, result.error ?? 'it could not be run')
      return
    }
    await store.append([{ check: { account: check.account, checkId: check.id }, result }])
    leftOut.delete(check.id)
    runner.reload()
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
