import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { FileFormat } from '../../ingest/file-rows.ts'
import { CommandFailure } from '../context.ts'

type ImportFile = { readonly bytes: AsyncIterable<Buffer>; readonly format: FileFormat }

const chunkSize = 262_144

/** The bytes of a file, or of standard input for `-`. Reports progress. */
export async function openImportFile(file: string, progress: (fraction: number) => void): Promise<ImportFile> {
  if (file === '-') return { bytes: process.stdin, format: 'ndjson' }
  const stats = await stat(file).catch(() => null)
  if (!stats || stats.isDirectory()) throw new CommandFailure(`File not found: ${file}.`)
  const stream = createReadStream(file, { highWaterMark: chunkSize })
  return { bytes: withProgress(stream, stats.size, progress), format: /\.csv(\.gz)?$/i.test(file) ? 'csv' : 'ndjson' }
}

async function* withProgress(bytes: AsyncIterable<Buffer>, size: number, progress: (fraction: number) => void): AsyncGenerator<Buffer> {
  let done = 0
  for await (const chunk of bytes) {
    done += chunk.length
    progress(size === 0 ? 1 : Math.min(1, done / size))
    yield chunk
  }
}
