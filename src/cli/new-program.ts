import { Command } from 'commander'
import type { Context } from './context.ts'
import { version } from './version.ts'

/** The program with these commands. */
export function newProgram(commands: readonly ((context: Context) => Command)[], context: Context): Command {
  const program = new Command('tidemark')
    .description('Self-hosted synthetic monitoring: runs checks, stores every result, and computes exact analytics.')
    .version(version(), '-v, --version')
    .showHelpAfterError('Add --help for usage.')
  for (const command of commands) program.addCommand(command(context).copyInheritedSettings(program))
  return program
}
