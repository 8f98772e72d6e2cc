import type { Check, ServiceSettings } from '../catalogue/catalogue.ts'
import { openJudgePool } from '../checks/probe/judge/judge-pool.ts'
import { inlineProbe, type Probe } from '../checks/probe/probe.ts'
import { limitAdvice } from '../files/open-files.ts'
import type { RunEnvironment } from '../runner/attempt.ts'
import { systemClock } from '../runner/clock.ts'
import { type Executed, execute } from '../runner/execute.ts'
import { CommandFailure, type Context } from './context.ts'
import { paintFor } from './terminal/paint.ts'
import { viewRetry, viewRun } from './terminal/run-view.ts'

type OnceOptions = {
  readonly runLocation: string
  readonly configDir: string
  readonly addresses: ServiceSettings['addresses']
  /** Print only the result as it would be stored. */
  readonly json?: true
}

/** Runs a check now and prints every detail. Nothing is stored. */
export async function runAndShow(context: Context, check: Check, options: OnceOptions): Promise<void> {
  const executed = await executeOnce(check, context, options)
  if (executed === undefined) throw new CommandFailure('Interrupted.', 130)
  const paint = paintFor(context.stdout)
  context.stdout.write(options.json ? `${JSON.stringify(executed.result)}\n` : viewRun({ check, executed, paint }))
  if (executed.result.hasFailures) process.exitCode = 1
}

async function executeOnce(check: Check, context: Context, options: OnceOptions): Promise<Executed | undefined> {
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
  const { signal } = interrupted
  let notMade: CommandFailure | undefined
  const onNotMade = (reason: string) => {
    notMade = new CommandFailure(`The check could not be run: ${reason}.${adviceFor(reason)}`)
  }
  const done = showWaiting(context.stderr, `running ${check.name} …`)
  const once = { check, runLocation: options.runLocation, signal, waitSignal: signal, acquire, onAttempt, onNotMade }
  const judges = openJudgePool()
  const { settings, env } = context
  const probe = inlineProbe({ judge: judges.judge, configDir: options.configDir, chromium: settings.chromium, env })
  const executed = await execute(once, environmentOf(context, options, probe)).finally(async () => {
    done()
    process.removeListener('SIGINT', interrupt)
    await judges.close()
  })
  if (notMade) throw notMade
  return executed
}

function adviceFor(reason: string): string {
  return ` ${limitAdvice(reason)}`.trimEnd()
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

function environmentOf({ stderr }: Context, { addresses }: OnceOptions, probe: Probe): RunEnvironment {
  return {
    clock: systemClock,
    probe,
    addresses,
    evidence: { mode: 'none', evidenceBytes: 0, screenshotBytes: 0 },
    onBug: (_, error) => stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`),
  }
}
