import { ConfigFaults } from './catalogue/config-file/faults.ts'
import { CommandFailure } from './cli/context.ts'
import { buildProgram } from './cli/program.ts'
import { systemFailure } from './cli/terminal/system-failure.ts'
import { readSettings, SettingsFault } from './config.ts'

const { env, stdin, stdout, stderr } = process

/** The status of a program that ends by SIGPIPE: its reader ended first, so that it may not have done everything. */
const unreadExit = 141

stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit(process.exitCode || unreadExit)
})

try {
  const program = await buildProgram({ settings: readSettings(env), env, now: Date.now, stdin, stdout, stderr }, process.argv[2])
  await program.parseAsync()
} catch (error) {
  const isFault = error instanceof ConfigFaults || error instanceof SettingsFault
  const failure = isFault || error instanceof CommandFailure ? error : systemFailure(error)
  if (failure === null) throw error
  stderr.write(`${failure.message}\n`)
  process.exitCode = failure instanceof CommandFailure ? failure.exitCode : 2
}
