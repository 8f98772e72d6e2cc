import type { Env } from '../../config.ts'
import { answerCalls, functionsOf } from '../../threads/answer-calls.ts'
import { openConfigFolder } from './config-folder.ts'
import { type SentConfig, type ThreadCheck, toThread, transferKey } from './config-transfer.ts'
import { locateChecks, type PlacedCheck } from './locate-checks.ts'
import { type ParsedConfig, parseConfig } from './parse.ts'

/** `folder` contains the config file. */
type ParseRequest = { readonly text: string; readonly env: Env; readonly folder: string }
/** The faults; or the config without checks, and the keys of the checks in order. */
type ParseReply =
  | Extract<ParsedConfig, { readonly faults: unknown }>
  | { readonly head: SentConfig['head']; readonly keys: readonly string[] }

let checks: SentConfig['checks'] = []

function parse({ text, env, folder }: ParseRequest): ParseReply {
  const parsed = parseConfig(text, env, { folder: openConfigFolder(folder) })
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

function locate({ text, env, folder }: ParseRequest): readonly PlacedCheck[] {
  return locateChecks(text, env, folder)
}

const functions = { parse, takeChecks, release, locate }
export type ParseThread = typeof functions

answerCalls(functionsOf(functions))
