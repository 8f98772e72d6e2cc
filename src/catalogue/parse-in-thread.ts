import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { checkTypes } from '../checks/registry.ts'
import type { Env } from '../config.ts'
import { fromSent, type SentCheck, type SentConfig } from './config-transfer.ts'
import type { CheckDefinition } from './definitions.ts'
import type { Fault } from './faults.ts'
import type { Parsed } from './parse.ts'

export type ParseRequest = { readonly text: string; readonly env: Env; readonly checksPerReply: number }

export type ParseReply =
  | { readonly faults: readonly Fault[] }
  | { readonly head?: SentConfig['head']; readonly checks: readonly SentCheck[]; readonly left: number }

/** So few that receiving them does not hold up requests. */
const checksPerReply = 200

/** As `parseConfig`, but in a thread of its own, so that a large file does not hold up the server. */
export async function parseInThread(text: string, env: Env): Promise<Parsed> {
  const workerData: ParseRequest = { text, env: { ...env }, checksPerReply }
  const worker = new Worker(threadUrl('parse'), { workerData })
  try {
    return await receive(worker)
  } finally {
    await worker.terminate()
  }
}

const threadUrl = (name: string) => new URL(`./${name}-thread.js`, import.meta.url)

async function receive(worker: Worker): Promise<Parsed> {
  const checks: CheckDefinition[] = []
  let head: SentConfig['head'] | undefined
  for (;;) {
    worker.postMessage('next')
    const [reply] = (await once(worker, 'message')) as [ParseReply]
    if ('faults' in reply) return { faults: reply.faults }
    head ??= reply.head
    for (const check of reply.checks) checks.push(fromSent(check, checkTypes))
    if (reply.left <= 0 && head) return { config: { ...head, checks } }
  }
}
