import type { AlertLoop } from '../loop/alert-loop.ts'
import type { LeaderCall } from './leader-calls.ts'

/** Calls that only the leader can answer. */
export type AskedCalls = Pick<AlertLoop, 'acknowledge' | 'silence' | 'endSilence' | 'test' | 'explain' | 'hearReach' | 'hearAgents'>

/** Runs a call of another process. */
export function runCall(loop: AskedCalls, { name, args }: LeaderCall): Promise<unknown> {
  const known: Readonly<Record<string, (...args: never[]) => Promise<unknown>>> = {
    acknowledge: loop.acknowledge,
    silence: loop.silence,
    endSilence: loop.endSilence,
    test: loop.test,
    explain: loop.explain,
    hearReach: loop.hearReach,
    hearAgents: loop.hearAgents,
  }
  return known[name]?.(...(args as never[])) ?? Promise.reject(new Error(`nobody can ask for ${name}`))
}
