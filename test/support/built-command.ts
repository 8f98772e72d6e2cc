import type { Env } from '../../src/config.ts'
import { importBuilt } from './built.ts'
import { commandOf, type Ended } from './command.ts'

/** Runs a command of the built program in this process. Unlike in the source, threads work in it. */
export async function builtCommand(env: Env, args: readonly string[]): Promise<Ended> {
  const { buildProgram } = await importBuilt<typeof import('../../src/cli/program.ts')>('cli/program.ts')
  const { CommandFailure } = await importBuilt<typeof import('../../src/cli/context.ts')>('cli/context.ts')
  return commandOf({ buildProgram, CommandFailure }, { env, args })
}
