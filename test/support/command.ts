import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { type Command, CommanderError } from 'commander'
import { checkTypes } from '../../src/checks/registry.ts'
import { CommandFailure } from '../../src/cli/context.ts'
import { buildProgram } from '../../src/cli/program.ts'
import { systemFailure } from '../../src/cli/terminal/system-failure.ts'
import { type Env, readSettings } from '../../src/config.ts'
import { exampleCheck } from './example-config.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** A folder with a config file: account `acme` with a check of each type, named by the type's path. */
export function configuredFolder(more: object = {}): string {
  const folder = temporaryFolder()
  const checks = checkTypes.map((checkType) => ({ ...exampleCheck(checkType), id: checkType.path }))
  writeFileSync(join(folder, 'tidemark.yaml'), JSON.stringify({ ...more, accounts: [{ id: 'acme', name: 'Acme', checks }] }))
  return folder
}

export type Ended = { readonly stdout: string; readonly stderr: string; readonly exitCode: number }

/** Runs a command in this process, with the config file and data of a folder. */
export function tidemark(folder: string, ...args: readonly string[]): Promise<Ended> {
  return command({ TIDEMARK_CONFIG: join(folder, 'tidemark.yaml'), TIDEMARK_DATA: join(folder, 'data') }, args)
}

/** Runs a command in this process with this environment; `typed` is piped to its standard input. */
export function command(env: Env, args: readonly string[], now = Date.now, typed = ''): Promise<Ended> {
  return commandOf({ buildProgram, CommandFailure }, { env, args, now, typed })
}

/** The modules that run a command. */
export type ProgramModules = { readonly buildProgram: typeof buildProgram; readonly CommandFailure: typeof CommandFailure }

type Call = { readonly env: Env; readonly args: readonly string[]; readonly now?: () => number; readonly typed?: string }

export async function commandOf(modules: ProgramModules, { env, args, now = Date.now, typed = '' }: Call): Promise<Ended> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const stdin = Readable.from(typed === '' ? [] : [typed]) as unknown as NodeJS.ReadStream
  const streams = { stdin, stdout: stdout as unknown as NodeJS.WriteStream, stderr: stderr as unknown as NodeJS.WriteStream }
  const [said, complained] = [text(stdout), text(stderr)]
  const program = await modules.buildProgram({ settings: readSettings(env), env, now, ...streams }, args[0])
  for (const each of withSubcommands(program)) {
    const output = { writeOut: (text: string) => void stdout.write(text), writeErr: (text: string) => void stderr.write(text) }
    each.exitOverride().configureOutput(output)
  }
  const exitCode = await program
    .parseAsync(args, { from: 'user' })
    .then(takeExitCode)
    .catch((error) => {
      if (error instanceof CommanderError) return error.exitCode
      const failure = error instanceof modules.CommandFailure ? error : systemFailure(error)
      if (failure === null) throw error
      stderr.write(`${failure.message}\n`)
      return failure.exitCode
    })
  stdout.end()
  stderr.end()
  return { stdout: await said, stderr: await complained, exitCode }
}

function withSubcommands(program: Command): readonly Command[] {
  return [program, ...program.commands.flatMap(withSubcommands)]
}

/** Returns the exit code that the command has set, and resets it. */
function takeExitCode(): number {
  const code = Number(process.exitCode ?? 0)
  process.exitCode = undefined
  return code
}
