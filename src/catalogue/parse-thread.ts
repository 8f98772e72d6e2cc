import { parentPort, workerData } from 'node:worker_threads'
import { toSent } from './config-transfer.ts'
import { parseConfig } from './parse.ts'
import type { ParseReply, ParseRequest } from './parse-in-thread.ts'

const { text, env, checksPerReply } = workerData as ParseRequest
const parsed = parseConfig(text, env)
const sent = 'config' in parsed ? toSent(parsed.config) : null
let next = 0

const reply = (message: ParseReply) => parentPort?.postMessage(message)

/** One reply for each message: the faults, or first the head and then the checks, some at a time, until none is left. */
parentPort?.on('message', () => {
  if (sent === null) return reply('faults' in parsed ? { faults: parsed.faults } : { faults: [] })
  if (next === 0) reply({ head: sent.head, checks: sent.checks.slice(0, checksPerReply), left: sent.checks.length - checksPerReply })
  else reply({ checks: sent.checks.slice(next, next + checksPerReply), left: sent.checks.length - next - checksPerReply })
  next += checksPerReply
})
