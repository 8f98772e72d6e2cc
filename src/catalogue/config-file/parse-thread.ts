import type { Env } from '../../config.ts'
import { answerCalls, functionsOf } from '../../threads/answer-calls.ts'
import { type SentConfig, type ThreadCheck, toThread, transferKey } from './config-transfer.ts'
import type { Fault } from './faults.ts'
import { parseConfig } from './parse.ts'

type ParseRequest = { readonly text: string; readonly env: Env }
/** The faults, or all but the checks and the keys of these in their order. */
type ParseReply = { readonly faults: readonly Fault[] } | { readonly head: SentConfig['head']; readonly keys: readonly string[] }

let checks: SentConfig['checks'] = []

function parse({ text, env }: ParseRequest): ParseReply {
  const parsed = parseConfig(text, env)
  if ('faults' in parsed) return parsed
  const sent = toThread(parsed.config)
  checks = sent.checks
  return { head: sent.head, keys: parsed.config.checks.map(transferKey) }
}

/** Checks of the last file, by their position. */
function takeChecks(indexes: readonly number[]): readonly ThreadCheck[] {
  return indexes.map((index) => checks[index] ?? missing())
}

/** The thread that had read the file has been replaced. */
function missing(): never {
  throw new Error('The file has to be read again.')
}

/** Frees the memory of the last file. */
function release(): void {
  checks = []
}

const functions = { parse, takeChecks, release }
export type ParseThread = typeof functions

answerCalls(functionsOf(functions))
