import { Piscina } from 'piscina'
import { checkTypes } from '../checks/registry.ts'
import type { Env } from '../config.ts'
import { fromSent, type SentCheck, transferKey } from './config-transfer.ts'
import type { CheckDefinition } from './definitions.ts'
import type { Parsed } from './parse.ts'
import type { ParseReply, ParseRequest } from './parse-thread.ts'

export type ConfigParser = { parse(text: string, env: Env): Promise<Parsed>; close(): Promise<void> }

/** So few that receiving them does not hold up requests. */
const checksPerReply = 200

/**
 * Parses config files as `parseConfig` does, but in a thread of its own, so that a large file does not hold up the server. Checks that are
 * in `known` or in the last file are not sent again.
 */
export function openConfigParser(known: readonly CheckDefinition[], module = threadModule): ConfigParser {
  const thread = startThread(module)
  let checks: ReadonlyMap<string, CheckDefinition> = new Map(known.map((check) => [transferKey(check), check]))

  async function receive(keys: readonly string[], wanted: readonly number[]): Promise<ReadonlyMap<string, CheckDefinition>> {
    const received = new Map<string, CheckDefinition>()
    for (let i = 0; i < wanted.length; i += checksPerReply) {
      const indexes = wanted.slice(i, i + checksPerReply)
      const sent: readonly SentCheck[] = await thread.run(indexes, { name: 'take' })
      for (const [at, check] of sent.entries()) received.set(keys[indexes[at] ?? -1] ?? '', fromSent(check, checkTypes))
    }
    return received
  }

  return {
    async parse(text, env) {
      const reply: ParseReply = await thread.run({ text, env: { ...env } } satisfies ParseRequest, { name: 'parse' })
      if ('faults' in reply) return reply
      const { head, keys } = reply
      const received = await receive(
        keys,
        keys.flatMap((key, index) => (checks.has(key) ? [] : [index])),
      )
      await thread.run(null, { name: 'release' })
      checks = new Map(keys.flatMap((key) => pairOf(key, received.get(key) ?? checks.get(key))))
      return { config: { ...head, checks: [...checks.values()] } }
    },
    async close() {
      await thread.destroy()
    },
  }
}

const threadModule = new URL(`./${'parse'}-thread.js`, import.meta.url)

/** Kept while the server runs: a new one would load and compile its code anew for each change. */
function startThread(module: URL): Piscina {
  const pool = new Piscina({
    filename: module.href,
    minThreads: 1,
    maxThreads: 1,
    idleTimeout: Number.POSITIVE_INFINITY,
  })
  // Emitted where the thread dies between two calls; the pool replaces it.
  return pool.on('error', () => {})
}

function pairOf(key: string, check: CheckDefinition | undefined): readonly (readonly [string, CheckDefinition])[] {
  return check === undefined ? [] : [[key, check]]
}
