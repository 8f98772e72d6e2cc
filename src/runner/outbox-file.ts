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

/** Results that a process could not store until it ended, on disk for the next one. */
export type OutboxFile = {
  /** What earlier processes have left. A file that is damaged is put aside, and told at the end. */
  read(): AsyncIterable<FiledResult>
  /** Forgets what was read. */
  remove(): void
  /** Returns the path of the file once it is on disk. Evidence is not kept. */
  write(results: readonly FiledResult[]): string
}

/** Enough for 50,000 results: a disk that is full has no room for another file. */
const reservedBytes = 4 * 2 ** 20
const fileName = /^outbox-[0-9a-f-]{36}\.ndjson\.gz$/
const reserveName = 'outbox.reserve'

/** Files in a folder. Where the folder exists, room for one is reserved at once. */
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
          // Another process that uses the folder may have read it meanwhile.
          if (!existsSync(path)) continue
          renameSync(path, `${path}.damaged`)
          damage ??= new Error(`${path}.damaged cannot be read to its end.`, { cause })
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
      const lines = results.map(({ evidence, ...filed }) => `${JSON.stringify(filed)}\n`)
      overwrite(join(directory, reserveName), gzipSync(lines.join(''), { level: 1 }))
      renameSync(join(directory, reserveName), path)
      syncFolder(directory)
      return path
    },
  }
}

async function* resultsIn(path: string): AsyncIterable<FiledResult> {
  const bytes = createReadStream(path)
  const texts = bytes.pipe(createGunzip()).setEncoding('utf8')
  bytes.on('error', (error) => texts.destroy(error))
  let rest = ''
  for await (const text of texts) {
    const lines = `${rest}${text}`.split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) yield JSON.parse(line)
  }
}

/** Without room for it, results can only be kept if there is some when they are written. */
function reserve(directory: string): void {
  const path = join(directory, reserveName)
  try {
    if (existsSync(path) && statSync(path).size === reservedBytes) return
    overwrite(path, Buffer.alloc(reservedBytes))
  } catch {
    rmSync(path, { force: true })
  }
}

/** In place: a full disk has no room for another file. */
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

/** A new name is on disk once its folder is. */
function syncFolder(directory: string): void {
  const folder = openSync(directory, 'r')
  fsyncSync(folder)
  closeSync(folder)
}
