import { createContext, Script } from 'node:vm'
import { jsonPathFault } from '../assert/json-path.ts'
import { patternFault } from '../assert/pattern.ts'
import { ProbeFault } from '../failures.ts'
import type { Judge, Verdict } from './judge.ts'

export type Job = { readonly module: string; readonly input: unknown; readonly timeLimitMs: number }
/** Faults and overruns are values: the class of an error is lost on the way between threads. */
export type Reply = { readonly verdict: Verdict } | { readonly fault: string } | 'timed out'

const context = createContext({ judge: () => {} })
const script = new Script('judge()')

// Loads both libraries before the first time limit runs.
jsonPathFault('$')
patternFault('')

/** Runs a judge within a time limit, which interrupts it wherever it is; the thread stays usable. */
export async function run({ module, input, timeLimitMs }: Job): Promise<Reply> {
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
