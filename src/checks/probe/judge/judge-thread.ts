import { setPriority } from 'node:os'
import { createContext, Script } from 'node:vm'
import { answerCalls, threadData } from '../../../threads/answer-calls.ts'
import { jsonPathFault } from '../assert/json-path.ts'
import { patternFault } from '../assert/pattern.ts'
import { ProbeFault } from '../failures.ts'
import type { Judge, Verdict } from './judge.ts'

/** `key` names the check. */
export type JudgeJob = { readonly module: string; readonly input: unknown; readonly key: string; readonly timeLimitMs: number }
/** Faults and timeouts are values, since errors lose their class between threads. */
export type Reply = { readonly verdict: Verdict } | { readonly fault: string } | 'timed out'

/** Lowers the priority of the thread, on Linux only: there, each thread has its own priority. */
export type ThreadPriority = { readonly niceIncrement?: number }

const { niceIncrement = 0 } = threadData<ThreadPriority>()
if (niceIncrement > 0 && process.platform === 'linux') setPriority(niceIncrement)

const context = createContext({ judge: () => {} })
const script = new Script('judge()')

// Load both libraries before the first time limit applies.
jsonPathFault('$')
patternFault('')

/** Runs a judge within a time limit. The timeout of a VM context can interrupt synchronous code, and the thread stays usable. */
async function run({ module, input, timeLimitMs }: JudgeJob): Promise<Reply> {
  const { judge } = (await import(module)) as Judge<unknown>
  context.judge = () => judge(input)
  try {
    return { verdict: script.runInContext(context, { timeout: timeLimitMs }) }
  } catch (error) {
    if (error instanceof ProbeFault) return { fault: error.message }
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return 'timed out'
    throw error
  } finally {
    context.judge = () => {}
  }
}

answerCalls(({ args: [job] }) => run(job as JudgeJob))
