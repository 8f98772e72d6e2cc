import type { Command } from 'commander'
import { agentCommand } from './agent.ts'
import type { Context } from './context.ts'
import { newProgram } from './new-program.ts'

/** The command line of an agent: a small process, which does not load what other commands need. */
export function buildProgram(context: Context): Command {
  return newProgram([agentCommand], context)
}
