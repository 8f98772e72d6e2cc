import { setMaxListeners } from 'node:events'
import type { Check } from '../../catalogue/catalogue.ts'
import { createSemaphore } from '../../concurrency/semaphore.ts'
import { execute } from '../../runner/execute.ts'
import { filedResult } from '../../runner/filed-result.ts'
import { environmentOf, type Runner, type RunnerOptions, startRunner } from '../../runner/runner.ts'
import type { FiledResult } from '../../store/store.ts'

type LiveOptions = RunnerOptions & {
  /** Called for a check that cannot be run on this machine. */
  readonly onUnable: (check: Check, reason: string) => void
}

/**
 * Runs the demo's checks. Each is tried once at the start: one that cannot run on this machine (no browser, no `ping`) is left out instead
 * of shown as failing.
 */
export function startDemoRuns(options: LiveOptions): Runner {
  const { catalogue, store, log, onUnable } = options
  const candidates = catalogue.allChecks().filter(({ activated, checkType }) => activated && checkType.run !== undefined)
  const leftOut = new Set(candidates.map(({ id }) => id))
  const runnable = () => catalogue.allChecks().filter(({ id }) => !leftOut.has(id))
  const runner = startRunner({ ...options, catalogue: { service: () => catalogue.service(), allChecks: runnable } })
  const closing = new AbortController()
  setMaxListeners(0, closing.signal)
  const semaphores = { light: createSemaphore(1), heavy: createSemaphore(1) }

  async function runAt(check: Check, runLocation: string): Promise<FiledResult | undefined> {
    const { signal } = closing
    const acquire = (check.checkType.heavy ? semaphores.heavy : semaphores.light).acquire
    const environment = environmentOf(options)
    const onNotMade = (reason: string) => onUnable(check, reason)
    const run = { check: { ...check, retry: null }, runLocation, signal, waitSignal: signal, acquire, onNotMade }
    const executed = await execute(run, environment)
    return executed && filedResult(check, executed, environment)
  }

  async function tryOut(check: Check): Promise<void> {
    const first = await runAt(check, check.locations[0] ?? 'default')
    if (first === undefined) return
    if (first.result.hasErrors) {
      onUnable(check, first.result.error ?? 'it could not be run')
      return
    }
    leftOut.delete(check.id)
    runner.reload()
    await store.append(await firstResults(check, first))
  }

  /** The first run of a light type includes module loading, so its result is replaced by those of further runs. */
  async function firstResults(check: Check, first: FiledResult): Promise<readonly FiledResult[]> {
    if (check.checkType.heavy) return [first]
    const results = await Promise.all(check.locations.map((location) => runAt(check, location)))
    return results.filter((filed) => filed !== undefined)
  }

  const logFailure = (err: unknown) => log.error({ err }, 'Could not try a check of the demo.')
  const tried = Promise.all(candidates.map((check) => tryOut(check).catch(logFailure)))
  return {
    reload: runner.reload,
    async close() {
      closing.abort()
      await tried
      await runner.close()
    },
  }
}
