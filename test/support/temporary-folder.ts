import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync, statSync } from 'node:fs'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'
import { minuteMs } from '../../src/time.ts'
import { atWorkerEnd } from './worker-end.ts'

const memory = '/dev/shm'
const neededBytes = 4 * 1024 ** 3
const prefix = 'tidemark-test-'
const base = !process.env.TMPDIR && hasMemory() ? memory : tmpdir()
if (base === memory) removeLeftovers()

const folders: string[] = []

/**
 * A new folder that is removed after the last test of the file. It is in memory if there is enough, since syncing a disk is what tests wait
 * for most.
 */
export function temporaryFolder(): string {
  const folder = newFolder()
  folders.push(folder)
  return folder
}

/** A folder that is removed with the worker, for data that its files share. */
export function workerFolder(): string {
  const folder = newFolder()
  atWorkerEnd(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const newFolder = () => mkdtempSync(join(base, `${prefix}${process.pid}-`))

/** `setup.ts` calls this after each file. Fast files share this module, so a hook here would run only after the first of them. */
export function removeTemporaryFolders(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
}

/** Whether shared memory can hold files and programs: in containers it is often small or not executable. */
function hasMemory(): boolean {
  if (!existsSync('/proc/mounts') || !existsSync(memory)) return false
  const mounts = readFileSync('/proc/mounts', 'utf8').split('\n')
  const [, , type, options = ''] = mounts.map((line) => line.split(' ')).findLast(([, path]) => path === memory) ?? []
  if (type !== 'tmpfs' || options.split(',').includes('noexec')) return false
  const { bavail, bsize } = statfsSync(memory)
  return Math.min(bavail * bsize, freemem()) >= neededBytes
}

/** Removes folders of killed runs. */
function removeLeftovers(): void {
  for (const name of readdirSync(memory)) {
    const [, pid] = new RegExp(`^${prefix}(\\d+)-`).exec(name) ?? []
    const folder = join(memory, name)
    const isOld = (statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()) < Date.now() - 10 * minuteMs
    if (pid && isOld && !existsSync(`/proc/${pid}`)) rmSync(folder, { recursive: true, force: true })
  }
}
