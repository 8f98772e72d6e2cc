import { rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { Argument, Command } from 'commander'
import { parseConfig } from '../../catalogue/config-file/parse.ts'
import { makeFolder } from '../../files/make-folder.ts'
import { idGrammar } from '../../ids/id-grammar.ts'
import { replaceFile } from '../change-file.ts'
import { CommandFailure, type Context } from '../context.ts'
import { blackbox } from '../convert/blackbox/index.ts'
import { checkly } from '../convert/checkly/index.ts'
import { newConversionDraft } from '../convert/draft.ts'
import { gatus } from '../convert/gatus/index.ts'
import { healthchecks } from '../convert/healthchecks/index.ts'
import { kuma } from '../convert/kuma/index.ts'
import { lineText, type ReportLine, reportText } from '../convert/report.ts'
import { retentionAs } from '../convert/retention.ts'
import type { ConvertInput, ConvertSource } from '../convert/source.ts'
import { outputFiles, refuseExisting, writeResults } from '../convert/write-output.ts'
import { configFileText, environmentText } from '../convert/written-config.ts'
import { progressBar } from '../terminal/progress.ts'

type ConvertOptions = {
  readonly out: string
  readonly account: string
  readonly overwrite?: true
  readonly report?: string
  readonly url?: string
  readonly key?: string
  readonly fromAccount?: string
}

export function convertCommand(context: Context): Command {
  const tools = convertSources.map(({ from }) => from)
  return new Command('convert')
    .description('Convert the checks and stored results of another tool into a config file and a file for tidemark import.')
    .addArgument(new Argument('<from>', 'the other tool').choices(tools))
    .argument('[file...]', 'its files')
    .requiredOption('-o, --out <folder>', 'where to write the config file, results and the report')
    .option('--account <id>', 'the account of the checks', 'main')
    .option('--overwrite', 'overwrite existing files')
    .option('--report <file>', 'also write the report as JSON')
    .option('--url <address>', 'the address of an API, instead of files')
    .option('--key <key>', 'a key for that API')
    .option('--from-account <id>', 'the account of that key, if it has several')
    .addHelpText(
      'after',
      `\n${convertSources.map(({ from, reads }) => `${from.padEnd(14)}${reads}`).join('\n')}\n\nExit status: 0 files written, 1 failed.`,
    )
    .action((from: string, files: string[], options: ConvertOptions) => convert(context, from, files, options))
}

async function convert(context: Context, from: string, files: readonly string[], options: ConvertOptions): Promise<void> {
  const { out, account, report } = options
  if (!idGrammar.test(account)) throw new CommandFailure(`${account} is no id: it may have 1 to 128 letters, digits, _ and -.`)
  const pathOf = (name: string) => join(out, name)
  const reportFiles = report === undefined ? [] : [report]
  if (!options.overwrite) await refuseExisting([...Object.values(outputFiles).map(pathOf), ...reportFiles])
  const draft = newConversionDraft()
  const keptFiles = new Map<string, string>()
  const source = convertSources.find((one) => one.from === from)
  if (options.url !== undefined && !source?.asksApi) throw new CommandFailure(`--url is not supported for ${from}: name its files instead.`)
  const keepFile = (path: string, text: string) => {
    keptFiles.set(path, text)
    return path
  }
  const bar = progressBar(context.stderr, 'Converting results')
  const rows = await source?.convert({
    files,
    env: context.env,
    now: context.now(),
    draft,
    remote: remoteOf(options),
    progress: bar.show,
    keepFile,
  })
  const { parts } = draft
  const parsed = parseConfig(configFileText(parts, { account, retentionDays: null }), Object.fromEntries(parts.variables))
  if ('faults' in parsed)
    throw new CommandFailure(
      `The converted file has faults, which is a bug: ${parsed.faults
        .slice(0, 5)
        .map((fault) => fault.text)
        .join('; ')}.`,
    )
  if (!options.overwrite) await refuseExisting([...keptFiles.keys()].map(pathOf))
  makeFolder(out)
  const { count, oldest } = rows ? await writeResults(out, rows).finally(bar.end) : { count: 0, oldest: null }
  const kept = retentionAs({ keptDays: parts.keptDays, oldest, now: context.now() })
  if (kept) draft.report(kept.line)
  if (count === 0) await rm(pathOf(outputFiles.results), { force: true })
  for (const [path, content] of keptFiles) {
    makeFolder(dirname(pathOf(path)))
    await replaceFile(pathOf(path), content, 0o600)
  }
  if (parts.variables.size > 0) await replaceFile(pathOf(outputFiles.environment), environmentText(parts), 0o600)
  else await rm(pathOf(outputFiles.environment), { force: true })
  await replaceFile(pathOf(outputFiles.report), reportText(parts.lines), 0o600)
  if (report !== undefined) await replaceFile(report, reportJson(from, parts, count), 0o600)
  const retentionDays = kept?.retentionDays ?? null
  await replaceFile(pathOf(outputFiles.config), configFileText(parts, { account, retentionDays }), 0o600)
  writeReport(context, parts.lines, pathOf(outputFiles.report))
  context.stdout.write(
    `${summary({ ...parts, count })}\n\n${nextSteps(out, { hasVariables: parts.variables.size > 0, hasResults: count > 0, hasLines: parts.lines.length > 0 })}`,
  )
}

function remoteOf({ url, key, fromAccount }: ConvertOptions): ConvertInput['remote'] {
  if (url === undefined) return null
  if (!URL.canParse(url) || !/^https?:/.test(url)) throw new CommandFailure(`${url} is not a URL such as https://api.example.com.`)
  if (!key) throw new CommandFailure('An API requires a key: use --key.')
  return { url, key, account: fromAccount ?? null }
}

type ConvertedParts = { readonly carried: readonly unknown[]; readonly lines: readonly ReportLine[] }

function reportJson(from: string, { carried, lines }: ConvertedParts, results: number): string {
  return `${JSON.stringify({ from, results, checks: carried, lines }, null, 2)}\n`
}

const shownLines = 40

function writeReport({ stderr }: Context, lines: readonly ReportLine[], file: string): void {
  for (const line of lines.slice(0, shownLines)) stderr.write(`${lineText(line)}\n`)
  if (lines.length > shownLines) stderr.write(`… and ${lines.length - shownLines} more lines in ${file}\n`)
}

function summary({ carried, lines, count }: ConvertedParts & { readonly count: number }): string {
  const counted = (outcome: string) => lines.filter((line) => line.outcome === outcome).length
  const checks = `${carried.length} check${carried.length === 1 ? '' : 's'}`
  const counts = `${counted('changed')} changed, ${counted('lost')} lost, ${counted('left out')} left out`
  return `${checks} and ${count} result${count === 1 ? '' : 's'} converted; of everything: ${counts}.`
}

type Written = { readonly hasVariables: boolean; readonly hasResults: boolean; readonly hasLines: boolean }

function nextSteps(out: string, { hasVariables, hasResults, hasLines }: Written): string {
  const file = (name: keyof typeof outputFiles) => join(out, outputFiles[name])
  const config = `--config ${file('config')}`
  return [
    ...(hasVariables ? [`${file('environment')} has the secrets (mode 600): ${file('config')} refers to them.`] : []),
    hasLines ? `Anything changed or left out is in ${file('report')}.` : 'Everything was converted unchanged.',
    ...(hasVariables ? [`  set -a; . ${resolve(file('environment'))}; set +a`] : []),
    `  tidemark validate ${config}`,
    ...(hasResults ? [`  tidemark import ${file('results')} ${config}`] : []),
    `  tidemark serve ${config}`,
    '',
  ].join('\n')
}

/** A new source needs a folder and an entry here. */
const convertSources: readonly ConvertSource[] = [kuma, gatus, blackbox, healthchecks, checkly]
