import { randomUUID } from 'node:crypto'
import {
  closeSync,
  createReadStream,
  existsSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { createGunzip, gzipSync } from 'node:zlib'
import { makePrivateFile, makePrivateFolder } from '../store/embedded/disk/private-files.ts'
import type { FiledResult } from '../store/store.ts'

/** Keeps results on disk that a process could not store before it ended, for the next process. */
export type OutboxFile = {
  /** Results that earlier processes left. A damaged file is renamed; its error is thrown once all files are read. */
  read(): AsyncIterable<FiledResult>
  /** Deletes the files that were read. */
  remove(): void
  /** Returns once the file is synced. If the reserved space is too small for all evidence, only the newest is kept. */
  write(results: readonly FiledResult[]): { readonly path: string; readonly evidenceDropped: number }
}

/** Reserved in advance, since a full disk has no space for another file. Enough for 50,000 results without evidence. */
const reservedBytes = 4 * 2 ** 20
const fileName = /^outbox-[0-9a-f-]{36}\.ndjson\.gz$/
const reserveName = 'outbox.reserve'

/** Keeps the files in a folder. If the folder exists, space for one file is reserved at once. */
export function openOutboxFile(directory: string): OutboxFile {
  const found: string[] = []
  if (existsSync(directory)) reserve(directory)

  return {
    async *read() {
      const names = existsSync(directory) ? readdirSync(directory).filter((name) => fileName.test(name)) : []
      let damage: Error | null = null
      for (const path of names.map((name) => join(directory, name))) {
        try {
          yield* resultsIn(path)
          found.push(path)
        } catch (cause) {
          // Another process that uses the folder may have removed it.
          if (!existsSync(path)) continue
          renameSync(path, `${path}.damaged`)
          damage ??= new Error(`${path}.damaged cannot be read completely.`, { cause })
        }
      }
      if (damage) throw damage
    },
    remove() {
      for (const path of found.splice(0)) rmSync(path, { force: true })
    },
    write(results) {
      makePrivateFolder(directory)
      const path = join(directory, `outbox-${randomUUID()}.ndjson.gz`)
      const { bytes, evidenceDropped } = encodeWithin(reservedBytes, results)
      overwrite(join(directory, reserveName), bytes)
      renameSync(join(directory, reserveName), path)
      syncFolder(directory)
      return { path, evidenceDropped }
    },
  }
}

/**
 * Encodes all results, with as much of the newest evidence as fits. Lowers the limit until it does, since the size is only known after
 * compression.
 */
function encodeWithin(maxBytes: number, results: readonly FiledResult[]) {
  const withEvidence = results.filter(({ evidence }) => evidence).length
  const bytes = encodeResults(results, new Set())
  for (let roomBytes = maxBytes - bytes.length; roomBytes > 0; roomBytes -= maxBytes / 16) {
    const kept = newestEvidence(results, roomBytes)
    const encoded = encodeResults(results, kept)
    if (encoded.length <= maxBytes) return { bytes: encoded, evidenceDropped: withEvidence - kept.size }
  }
  return { bytes, evidenceDropped: withEvidence }
}

/** The newest results whose evidence fits into `roomBytes` together. */
function newestEvidence(results: readonly FiledResult[], roomBytes: number): ReadonlySet<FiledResult> {
  const kept = new Set<FiledResult>()
  let leftBytes = roomBytes
  for (const filed of results.toReversed()) {
    if (!filed.evidence) continue
    leftBytes -= filed.evidence.length
    if (leftBytes < 0) break
    kept.add(filed)
  }
  return kept
}

function encodeResults(results: readonly FiledResult[], withEvidence: ReadonlySet<FiledResult>): Buffer {
  const lines = results.map((filed) => {
    const { evidence, ...bare } = filed
    return `${JSON.stringify(evidence && withEvidence.has(filed) ? { ...bare, evidence: Buffer.from(evidence).toString('base64') } : bare)}\n`
  })
  return gzipSync(lines.join(''), { level: 1 })
}

function decodeResult(line: string): FiledResult {
  const { evidence, ...bare } = JSON.parse(line) as Omit<FiledResult, 'evidence'> & { readonly evidence?: string }
  return evidence === undefined ? bare : { ...bare, evidence: new Uint8Array(Buffer.from(evidence, 'base64')) }
}

async function* resultsIn(path: string): AsyncIterable<FiledResult> {
  const bytes = createReadStream(path)
  const texts = bytes.pipe(createGunzip()).setEncoding('utf8')
  bytes.on('error', (error) => texts.destroy(error))
  let rest = ''
  for await (const text of texts) {
    const lines = `${rest}${text}`.split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) yield decodeResult(line)
  }
}

/** Best effort: without reserved space, results can only be saved if the disk has space at that time. */
function reserve(directory: string): void {
  const path = join(directory, reserveName)
  try {
    if (existsSync(path) && statSync(path).size === reservedBytes) return
    overwrite(path, Buffer.alloc(reservedBytes))
  } catch {
    rmSync(path, { force: true })
  }
}

/** In place, since a full disk has no space for another file. */
function overwrite(path: string, bytes: Uint8Array): void {
  makePrivateFile(path)
  const file = openSync(path, 'r+')
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at)
    ftruncateSync(file, bytes.length)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** A rename is durable once the folder is synced. */
function syncFolder(directory: string): void {
  const folder = openSync(directory, 'r')
  fsyncSync(folder)
  closeSync(folder)
}
