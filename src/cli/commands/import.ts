import { appendFile, rm } from 'node:fs/promises'
import { Command, Option } from 'commander'
import { type FileFormat, fileRows, UnreadableFile } from '../../ingest/file-rows.ts'
import type { Outcome } from '../../ingest/ingest.ts'
import type { RejectedRow } from '../../ingest/read-rows.ts'
import type { IncomingRow } from '../../ingest/rows.ts'
import { CommandFailure, type Context } from '../context.ts'
import { openImportFile } from '../import/open-file.ts'
import { type ImportTarget, openTarget, type TargetOptions } from '../import/target.ts'
import { configOption, dataOption } from '../options.ts'
import { accountOption, keyOption, urlOption } from '../remote/remote.ts'
import { progressBar } from '../terminal/progress.ts'

type ImportOptions = TargetOptions & { readonly format?: FileFormat }

type Counts = { accepted: number; duplicates: number; rejected: number }

const batchSize = 5000

export function importCommand(context: Context): Command {
  return new Command('import')
    .description('Import results from NDJSON or CSV files, gzipped or plain; - is standard input. Idempotent: duplicates are skipped.')
    .argument('<file...>', 'the files to read')
    .addOption(configOption(context))
    .addOption(dataOption(context))
    .addOption(urlOption())
    .addOption(keyOption(context))
    .addOption(accountOption(context))
    .addOption(new Option('-f, --format <format>', 'the file format, if it is not clear from the file names').choices(['ndjson', 'csv']))
    .action((files: string[], options: ImportOptions) => importFiles(context, files, options))
}

async function importFiles(context: Context, files: readonly string[], options: ImportOptions): Promise<void> {
  const target = await openTarget(context, options)
  let faults = 0
  try {
    for (const file of files) faults += await importFile(context, file, { target, format: options.format })
  } finally {
    await target.close()
  }
  if (faults > 0) throw new CommandFailure('Not everything was imported. Fix the rejected rows and import them again.')
}

/** Returns the number of rejected rows, plus one if the file could not be read completely. */
async function importFile(
  { stdout, stderr }: Context,
  file: string,
  { target, format }: { readonly target: ImportTarget; readonly format: FileFormat | undefined },
): Promise<number> {
  const name = file === '-' ? 'standard input' : file
  const rejectedFile = `${file === '-' ? 'stdin' : file}.rejected.ndjson`
  const counts: Counts = { accepted: 0, duplicates: 0, rejected: 0 }
  const bar = progressBar(stderr, `Importing ${name}`)
  const source = await openImportFile(file, bar.show)
  await rm(rejectedFile, { force: true })
  const fault = await putAll(source.bytes, format ?? source.format, async (rows) => {
    const outcome = await target.put(rows)
    count(counts, outcome)
    if (outcome.rejected.length > 0) await appendFile(rejectedFile, rejectedLines(rows, outcome.rejected))
  }).finally(bar.end)
  stdout.write(`${name}: ${summary(counts)}${counts.rejected > 0 ? `, see ${rejectedFile}` : ''}\n`)
  if (fault) stderr.write(`${name} could not be read completely: ${fault.message}\n`)
  return counts.rejected + (fault ? 1 : 0)
}

async function putAll(
  bytes: AsyncIterable<Buffer>,
  format: FileFormat,
  put: (rows: readonly IncomingRow[]) => Promise<void>,
): Promise<UnreadableFile | null> {
  try {
    for await (const rows of fileRows(bytes, format, batchSize)) await put(rows)
    return null
  } catch (error) {
    if (error instanceof UnreadableFile) return error
    throw error
  }
}

function count(counts: Counts, { accepted, duplicates, rejected }: Outcome): void {
  counts.accepted += accepted
  counts.duplicates += duplicates
  counts.rejected += rejected.length
}

function summary({ accepted, duplicates, rejected }: Counts): string {
  return `${accepted} accepted, ${duplicates} duplicates, ${rejected} rejected`
}

function rejectedLines(rows: readonly IncomingRow[], rejected: readonly RejectedRow[]): string {
  const values = new Map(rows.map((row) => [row.at, 'value' in row ? row.value : null]))
  return rejected.map(({ at, code, message }) => `${JSON.stringify({ line: at, code, message, row: values.get(at) })}\n`).join('')
}
