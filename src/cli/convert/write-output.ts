import { createWriteStream } from 'node:fs'
import { lstat, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { CommandFailure } from '../context.ts'
import type { ConvertedResult } from './source.ts'

export const outputFiles = {
  config: 'tidemark.yaml',
  environment: 'tidemark.env',
  results: 'results.ndjson.gz',
  report: 'report.txt',
} as const

/** Throws if an output file already exists. */
export async function refuseExisting(files: readonly string[]): Promise<void> {
  const found: string[] = []
  for (const file of files) if (await lstat(file).catch(() => null)) found.push(file)
  if (found.length === 0) return
  throw new CommandFailure(
    `${found.join(', ')} exist${found.length === 1 ? 's' : ''} already. Give another folder with --out, or --overwrite.`,
  )
}

const batchLength = 65_536

type WrittenResults = {
  readonly count: number
  /** The start of the oldest result; null if there are none. */
  readonly oldest: number | null
}

/** Streams rows to a gzipped NDJSON file. An incomplete file is removed. */
export async function writeResults(folder: string, rows: Iterable<ConvertedResult>): Promise<WrittenResults> {
  const file = join(folder, outputFiles.results)
  const temporary = `${file}.${process.pid}.tmp`
  let count = 0
  let oldest: string | null = null
  function* chunks(): Generator<string> {
    let batch = ''
    for (const row of rows) {
      count++
      if (oldest === null || row.startedAt < oldest) oldest = row.startedAt
      batch += `${JSON.stringify(row)}\n`
      if (batch.length < batchLength) continue
      yield batch
      batch = ''
    }
    yield batch
  }
  try {
    await pipeline(Readable.from(chunks()), createGzip({ level: 4 }), createWriteStream(temporary, { mode: 0o600 }))
    await rename(temporary, file)
  } finally {
    await rm(temporary, { force: true })
  }
  return { count, oldest: oldest === null ? null : Date.parse(oldest) }
}
