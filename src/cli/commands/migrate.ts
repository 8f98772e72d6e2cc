import { Command } from 'commander'
import { StoreUnavailable } from '../../store/store.ts'
import { type Copy, copyChecks, copyDocuments } from '../../store/transfer/copy.ts'
import { sampledChecks, verifyAnswers } from '../../store/transfer/verify-answers.ts'
import { verifyResults } from '../../store/transfer/verify-results.ts'
import { CommandFailure, type Context } from '../context.ts'
import { failCommand } from '../data-folder.ts'
import { followSource } from '../migrate/follow-source.ts'
import { openSides, type Sides } from '../migrate/open-sides.ts'
import { answersReport, closingWords, counted, resultsReport } from '../migrate/report.ts'
import { configOption } from '../options.ts'
import { progressBar } from '../terminal/progress.ts'
import { untilInterrupted } from '../terminal/until-interrupted.ts'

type MigrateOptions = { readonly from: string; readonly to: string; readonly follow?: true; readonly config: string }

export function migrateCommand(context: Context): Command {
  return new Command('migrate')
    .description(
      'Copy all results from a data folder to a ClickHouse server, or back, and verify the copy. Run it again to continue; the server may keep running.',
    )
    .requiredOption('--from <place>', 'source: a data folder, or a URL such as http://user:password@127.0.0.1:8123/tidemark')
    .requiredOption('--to <place>', 'destination; existing results are kept')
    .option('--follow', 'keep copying new results until the source server is stopped, or until Ctrl+C')
    .addOption(configOption(context))
    .action(async (options: MigrateOptions) => {
      const sides = await openSides(context, options)
      try {
        await migrate(context, sides, options.follow ?? false)
      } catch (error) {
        throw explained(error)
      } finally {
        await sides.close()
      }
    })
}

async function migrate(context: Context, { source, destination }: Sides, isFollowed: boolean): Promise<void> {
  const { stdout, stderr, now } = context
  const say = (line: string) => void stdout.write(`${line}\n`)
  const copy: Omit<Copy, 'advance'> = { source, destination, settled: new Map() }
  let release = source.claim?.() ?? null
  try {
    const checks = await source.checks()
    const total = checks.reduce((sum, { results }) => sum + results, 0)
    say(`Copying ${counted(total, 'result')} of ${counted(checks.length, 'check')} from ${source.name} to ${destination.name}.`)
    const added = await withBar(stderr, 'Copying', total, (advance) => copyChecks({ ...copy, advance }, checks))
    say(`${counted(added, 'result')} copied; the others were there.`)
    if (isFollowed && release) say(`No server is using ${source.name}, so there is nothing to follow.`)
    if (isFollowed && !release)
      release = await untilInterrupted((signal) => followSource({ ...copy, advance: () => {} }, { signal, now, say, status: stderr }))
    const documents = await copyDocuments(source, destination)
    if (documents > 0) say(`${counted(documents, 'version')} of definitions that were written over the API copied.`)
    await verify(context, copy)
    say(closingWords({ source, destination, isReleased: release !== null }))
  } finally {
    release?.()
  }
}

async function verify({ stdout, stderr }: Context, copy: Omit<Copy, 'advance'>): Promise<void> {
  const checks = await copy.source.checks()
  const total = checks.reduce((sum, { results }) => sum + results, 0)
  const results = await withBar(stderr, 'Comparing', total, (advance) => verifyResults({ ...copy, advance }, checks))
  stdout.write(resultsReport(results))
  const stored = checks.filter((check) => check.results > 0)
  const answers = await withBar(stderr, 'Asking', sampledChecks(stored), (advance) => verifyAnswers(copy, stored, advance))
  stdout.write(answersReport(answers))
  if (results.missing.length + answers.unequal.length > 0)
    throw new CommandFailure(`${copy.destination.name} returns different answers than ${copy.source.name}. Do not switch to it.`)
}

async function withBar<T>(
  stream: NodeJS.WriteStream,
  label: string,
  total: number,
  work: (advance: (done: number) => void) => Promise<T>,
): Promise<T> {
  const bar = progressBar(stream, label)
  let done = 0
  let shown = -1
  const advance = (more: number) => {
    done += more
    const thousandths = Math.floor((1000 * done) / Math.max(total, 1))
    if (thousandths === shown) return
    shown = thousandths
    bar.show(Math.min(1, thousandths / 1000))
  }
  advance(0)
  return work(advance).finally(bar.end)
}

/** Copied results stay in the destination, so the advice is to resume. */
function explained(error: unknown): unknown {
  if (error instanceof StoreUnavailable) return new CommandFailure(`${error.message} Run the same command again to continue.`)
  try {
    return failCommand(error)
  } catch (failure) {
    return failure
  }
}
