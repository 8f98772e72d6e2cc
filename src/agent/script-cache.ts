import type { Assignment, SentScripts } from '../locations/protocol.ts'
import { bundleName, decodeBundle, type ScriptBundle } from '../locations/script-bundle.ts'
import { pause, type RunClock } from '../runner/clock.ts'
import type { RunnerLog } from '../runner/log.ts'
import { Refusal, reasonOf } from './refusal.ts'
import type { ServerConnection } from './server-connection.ts'

/** The scripts of checks, in memory only. Their names are hashes of their contents, so each is fetched once. */
export type ScriptCache = {
  /** Fetches the scripts of an assignment and drops all others; resolves after `waitMs` at the latest. */
  load(assignment: Pick<Assignment, 'checks'>, waitMs: number): Promise<void>
  /** Undefined until they have arrived. */
  get(sent: SentScripts): HeldScripts | undefined
}

export type HeldScripts = ScriptBundle | { readonly problem: string }

type Options = { readonly connection: Pick<ServerConnection, 'send'>; readonly clock: RunClock; readonly log: RunnerLog }

export function createScriptCache({ connection, clock, log }: Options): ScriptCache {
  let bundles = new Map<string, Promise<ScriptBundle | null>>()
  const loaded = new WeakMap<Promise<ScriptBundle | null>, ScriptBundle>()

  async function fetchBundle(name: string): Promise<ScriptBundle | null> {
    try {
      const answer = await connection.send(`v1/agents/scripts/${name}`)
      if (answer.status !== 200) throw new Refusal(answer)
      if (bundleName(answer.body) !== name) throw new Error('the scripts changed during transfer')
      return decodeBundle(answer.body)
    } catch (error) {
      log.warn({ reason: reasonOf(error) }, 'Could not fetch the scripts of a check. It runs once they are fetched.')
      bundles.delete(name)
      return null
    }
  }

  function start(name: string): Promise<ScriptBundle | null> {
    const fetching = fetchBundle(name)
    void fetching.then((bundle) => bundle && loaded.set(fetching, bundle))
    return fetching
  }

  return {
    async load({ checks }, waitMs) {
      const names = new Set(checks.flatMap(({ scripts }) => (scripts && 'bundle' in scripts ? [scripts.bundle] : [])))
      bundles = new Map([...names].map((name) => [name, bundles.get(name) ?? start(name)]))
      const enough = new AbortController()
      await Promise.race([Promise.all(bundles.values()), pause(clock, waitMs, enough.signal)])
      enough.abort()
    },
    get(sent) {
      if ('problem' in sent) return sent
      const fetching = bundles.get(sent.bundle)
      return fetching && loaded.get(fetching)
    },
  }
}
