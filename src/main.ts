import { ConfigFaults } from './catalogue/faults.ts'
import { CommandFailure } from './cli/context.ts'
import { systemFailure } from './cli/system-failure.ts'
import { readSettings, SettingsFault } from './config.ts'

const { argv, env, stdout, stderr } = process

stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit(0)
})

try {
  const { buildProgram } = await (argv[2] === 'agent' ? import('./cli/agent-program.ts') : import('./cli/program.ts'))
  await buildProgram({ settings: readSettings(env), env, now: Date.now, stdout, stderr }).parseAsync()
} catch (error) {
  const isFault = error instanceof ConfigFaults || error instanceof SettingsFault
  const failure = isFault || error instanceof CommandFailure ? error : systemFailure(error)
  if (failure === null) throw error
  stderr.write(`${failure.message}\n`)
  process.exitCode = failure instanceof CommandFailure ? failure.exitCode : 2
}
