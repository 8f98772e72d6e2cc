import { checkTypes } from '../../checks/registry.ts'
import type { Env } from '../../config.ts'
import { CallOverdue, openThread, type ThreadOptions } from '../../threads/thread.ts'
import type { CheckDefinition } from '../definitions.ts'
import { fromThread, transferKey } from './config-transfer.ts'
import type { PlacedCheck } from './locate-checks.ts'
import type { ParsedConfig } from './parse.ts'
import type { ParseThread } from './parse-thread.ts'

/** Parses a config file that is in this folder. */
export type ParseChanged = (text: string, env: Env, folder: string) => Promise<ParsedConfig>

/** Where a config file defines its checks. */
export type LocateChecks = (text: string, env: Env, folder: string) => Promise<readonly PlacedCheck[]>

type ConfigParser = { parse: ParseChanged; locate: LocateChecks; close(): Promise<void> }

type ParserOptions = Pick<ThreadOptions, 'onLost'> & { readonly module?: URL; readonly timeLimitMs?: number }

/** Few enough that receiving them does not block requests. */
const checksPerReply = 200

/**
 * Runs `parseConfig` in its own thread, so that a large file does not block the server. Checks in `known` or in the last file are not sent
 * again.
 */
export function openConfigParser(
  known: readonly CheckDefinition[],
  { module = threadModule, timeLimitMs = 60_000, onLost = () => {} }: ParserOptions = {},
): ConfigParser {
  const thread = openThread({ kind: 'parser', module, onLost, describe: (name) => `${name} of the config file` })
  const call = <Name extends keyof ParseThread>(name: Name, ...args: Parameters<ParseThread[Name]>) =>
    thread.call(name, args, { timeLimitMs }).catch(rethrowOverdue) as Promise<ReturnType<ParseThread[Name]>>
  let checks: ReadonlyMap<string, CheckDefinition> = new Map(known.map((check) => [transferKey(check), check]))

  async function receive(keys: readonly string[], wanted: readonly number[]): Promise<ReadonlyMap<string, CheckDefinition>> {
    const received = new Map<string, CheckDefinition>()
    for (let i = 0; i < wanted.length; i += checksPerReply) {
      const indexes = wanted.slice(i, i + checksPerReply)
      const sent = await call('takeChecks', indexes)
      for (const [at, check] of sent.entries()) received.set(keys[indexes[at] ?? -1] ?? '', fromThread(check, checkTypes))
    }
    return received
  }

  return {
    async parse(text, env, folder) {
      const reply = await call('parse', { text, env: { ...env }, folder })
      if ('faults' in reply) return reply
      const { head, keys } = reply
      const received = await receive(
        keys,
        keys.flatMap((key, index) => (checks.has(key) ? [] : [index])),
      )
      await call('release')
      checks = new Map(keys.flatMap((key) => pairOf(key, received.get(key) ?? checks.get(key))))
      return { config: { ...head, checks: [...checks.values()] } }
    },
    locate: (text, env, folder) => call('locate', { text, env: { ...env }, folder }),
    close: thread.destroy,
  }
}

const threadModule = new URL(`./${'parse'}-thread.js`, import.meta.url)

function rethrowOverdue(error: unknown): never {
  throw error instanceof CallOverdue ? new Error('Reading it takes too long; retrying.', { cause: error }) : error
}

function pairOf(key: string, check: CheckDefinition | undefined): readonly (readonly [string, CheckDefinition])[] {
  return check === undefined ? [] : [[key, check]]
}
