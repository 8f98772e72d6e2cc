import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const memory = '/dev/shm'
/** What tests write, servers and browsers among them, with much to spare. */
const wantedBytes = 4 * 2 ** 30

/**
 * A folder in memory, until this process ends, for the temporary files of tests: every commit of a store waits for its disk. Null where
 * TMPDIR names another place, where little memory is left, and where it runs no programs, as in most containers.
 */
export function memoryFolder() {
  if (process.env.TMPDIR || freeBytes() < wantedBytes) return null
  const folder = mkdtempSync(join(memory, 'tidemark-tests-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }))
  return runsPrograms(folder) ? folder : null
}

function freeBytes() {
  try {
    const { bavail, bsize } = statfsSync(memory)
    return bavail * bsize
  } catch {
    return 0
  }
}

function runsPrograms(folder) {
  const program = join(folder, 'program')
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 })
  return spawnSync(program).status === 0
}
