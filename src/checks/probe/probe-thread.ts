import { workerData } from 'piscina'
import type { Metrics } from '../metric.ts'
import { checkTypes } from '../registry.ts'
import { openJudgePool } from './judge/judge-pool.ts'
import { inlineProbe, type ProbeAttempt } from './probe.ts'
import type { Measured } from './run.ts'

/** An attempt as plain data. */
export type SentAttempt = Omit<ProbeAttempt, 'checkType' | 'signal'> & { readonly id: number; readonly type: string }
export type SentAbort = { readonly id: number; readonly name: string; readonly message: string }

const probe = inlineProbe({ ...workerData, judge: openJudgePool().judge })
const running = new Map<number, AbortController>()

export async function run({ id, type, ...attempt }: SentAttempt): Promise<Measured<Metrics>> {
  const checkType = checkTypes.find((one) => one.type === type)
  if (checkType === undefined) throw new RangeError(`there is no check type ${type}`)
  const controller = new AbortController()
  running.set(id, controller)
  return probe({ ...attempt, checkType, signal: controller.signal }).finally(() => running.delete(id))
}

export function abort({ id, name, message }: SentAbort): void {
  running.get(id)?.abort(new DOMException(message, name))
}
