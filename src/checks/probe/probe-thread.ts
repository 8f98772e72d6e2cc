import { parentPort } from 'node:worker_threads'
import { answerCalls, threadData } from '../../threads/answer-calls.ts'
import { checkTypes } from '../registry.ts'
import { openJudgePool } from './judge/judge-pool.ts'
import { inlineProbe, type ProbeAttempt, type ProbeContext } from './probe.ts'

/** An attempt as plain data. */
export type SentAttempt = Omit<ProbeAttempt, 'checkType' | 'signal'> & { readonly type: string }
/** Messages other than replies: a judge had to be replaced. */
export type ProbeMessage = { readonly judgeLost: string }

const { judge } = openJudgePool({ onLost: ({ message }) => parentPort?.postMessage({ judgeLost: message } satisfies ProbeMessage) })
const probe = inlineProbe({ ...threadData<ProbeContext>(), judge })

answerCalls(({ args: [sent], signal }) => {
  const { type, ...attempt } = sent as SentAttempt
  const checkType = checkTypes.find((one) => one.type === type)
  if (checkType === undefined) throw new RangeError(`unknown check type ${type}`)
  return probe({ ...attempt, checkType, signal })
})
