import { dirname, resolve } from 'node:path'
import { Command } from 'commander'
import type { Check } from '../catalogue/catalogue.ts'
import { readConfig } from '../catalogue/open.ts'
import type { Config } from '../catalogue/parse.ts'
import { openJudgePool } from '../checks/probe/judge/judge-pool.ts'
import { addressPolicy } from '../checks/probe/net/addresses.ts'
import type { RunEnvironment } from '../runner/attempt.ts'
import { systemClock } from '../runner/clock.ts'
import { type Executed, execute } from '../runner/execute.ts'
import { CommandFailure, type Context } from './context.ts'
import { findCheck } from './find-check.ts'
import { configOption } from './options.ts'
import { paintFor } from './paint.ts'
import { viewRetry, viewRun } from './run-view.ts'

type RunOptions = { readonly config: string; readonly account?: string; readonly location?: string; readonly json?: true }

export function runCommand(context: Context): Command {
  return new Command('run')
    .description('Run one check now and show everything about it. Nothing is stored.')
    .argument('<check>', 'its id or name')
    .addOption(configOption(context))
    .option('-a, --account <id>', 'its account, if several have such a check')
    .option('-l, --location <name>', 'the location to run as')
    .option('--json', 'print only the result as it would be stored')
    .addHelpText('after', '\nExit status: 0 passing or degraded, 1 failing, 2 could not be run, 130 interrupted.')
    .action((wanted: string, options: RunOptions) => run(context, wanted, options))
}

async function run(context: Context, wanted: string, options: RunOptions): Promise<void> {
  const config = await readConfig(options.config, context.env)
  const check = { ...findCheck(config, wanted, options), agentLocations: [], createdAt: context.now(), updatedAt: context.now() }
  if (check.checkType.run === undefined) throw new CommandFailure(`${check.name} is not run: it waits for pings.`, 2)
  const executed = await executeOnce(check, context, { config, options })
  if (executed === undefined) throw new CommandFailure('Interrupted.', 130)
  const paint = paintFor(context.stdout)
  context.stdout.write(options.json ? `${JSON.stringify(executed.result)}\n` : viewRun({ check, executed, paint }))
  if (executed.result.hasFailures) process.exitCode = 1
}

type RunArguments = { readonly config: Config; readonly options: RunOptions }

async function executeOnce(check: Check, context: Context, { config, options }: RunArguments): Promise<Executed | undefined> {
  const interrupted = new AbortController()
  const interrupt = () => interrupted.abort()
  process.once('SIGINT', interrupt)
  let attempts = 0
  const acquire = async (signal: AbortSignal) => (signal.aborted ? undefined : () => {})
  const onAttempt: Parameters<typeof execute>[0]['onAttempt'] = (measured, retryInMs) => {
    attempts += 1
    done()
    if (retryInMs !== null) context.stderr.write(viewRetry(attempts, measured, retryInMs, paintFor(context.stderr)))
  }
  const runLocation = options.location ?? check.locations[0] ?? 'default'
  const { signal } = interrupted
  const done = showWaiting(context.stderr, `running ${check.name} …`)
  const once = { check, runLocation, signal, waitSignal: signal, acquire, onAttempt }
  const judges = openJudgePool()
  return execute(once, environmentOf(context, config, { ...options, judge: judges.judge })).finally(async () => {
    done()
    process.removeListener('SIGINT', interrupt)
    await judges.close()
  })
}

/** A status line on a terminal; returns a function that clears it. */
function showWaiting(stream: NodeJS.WriteStream, text: string): () => void {
  if (!stream.isTTY) return () => {}
  stream.write(text)
  return () => {
    stream.clearLine(0)
    stream.cursorTo(0)
  }
}

type EnvironmentOptions = Pick<RunOptions, 'config'> & Pick<RunEnvironment, 'judge'>

function environmentOf({ settings, env, stderr }: Context, { service }: Config, { config, judge }: EnvironmentOptions): RunEnvironment {
  return {
    clock: systemClock,
    admit: addressPolicy(service.addresses),
    judge,
    configDir: dirname(resolve(config)),
    chromium: settings.chromium,
    env,
    onBug: (_, error) => stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`),
  }
}
