import type { Check } from '../../catalogue/catalogue.ts'
import { execute } from '../../runner/execute.ts'
import { createGate } from '../../runner/gate.ts'
import { environmentOf, type RunnerOptions, startRunner } from '../../runner/runner.ts'

export type LiveOptions = RunnerOptions & {
  /** Tells the newcomer something. */
  readonly say: (words: string) => void
}

export type Live = {
  /** Resolves when each check has been tried. */
  readonly tried: Promise<void>
  close(): Promise<void>
}

/**
 * Runs the demo's checks from now on. Each is tried first: one that cannot be run on this machine (no browser, no `ping`) is left
 * as it is, with a word on what is missing, rather than shown failing.
 */
export function startLive(options: LiveOptions): Live {
  const { catalogue, store, say, log } = options
  const able = new Set<string>()
  const fit = () => catalogue.allChecks().filter(({ id, checkType }) => able.has(id) || checkType.run === undefined)
  const runner = startRunner({ ...options, catalogue: { service: () => catalogue.service(), allChecks: fit } })
  const closing = new AbortController()
  const places = { light: createGate(10), heavy: createGate(1) }

  async function tryOut(check: Check): Promise<void> {
    const { signal } = closing
    const place = places[check.checkType.heavy ? 'heavy' : 'light'].enter
    const runLocation = check.locations[0] ?? 'default'
    const executed = await execute(
      { check: { ...check, retry: null }, runLocation, signal, patience: signal, place },
      environmentOf(options),
    )
    if (executed === undefined) return
    const { result } = executed
    if (result.hasErrors) return say(`${check.name} is not run here: ${result.error ?? 'it could not be run'}`)
    await store.append([{ check: { account: check.account, checkId: check.id }, result }])
    able.add(check.id)
    runner.reload()
  }

  const toTry = catalogue.allChecks().filter(({ activated, checkType }) => activated && checkType.run !== undefined)
  const notTried = (err: unknown) => log.error({ err }, 'A check of the demo could not be tried.')
  const tried = Promise.all(toTry.map((check) => tryOut(check).catch(notTried))).then(() => {})
  return {
    tried,
    async close() {
      closing.abort()
      await tried
      await runner.close()
    },
  }
}
