import { spawnSync } from 'node:child_process'
import { rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { programMissing } from './needs.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** Null if this user may mount a file system. */
export async function diskMissing(): Promise<string | null> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'only root on Linux may mount a small disk'
  const missing = await programMissing('mount')
  if (missing !== null) return missing
  const folder = temporaryFolder()
  if (!mount(folder, 64)) return 'this machine does not let root mount a file system'
  unmount(folder)
  return null
}

export type SmallDisk = {
  readonly folder: string
  /** Leaves this many bytes free. */
  fill(leaveBytes?: number): void
  /** Removes the files that `fill` wrote. */
  free(): void
  setReadOnly(isReadOnly: boolean): void
}

/** A real file system of this size, until the test ends. */
export function smallDisk(kilobytes: number): SmallDisk {
  const folder = temporaryFolder()
  if (!mount(folder, kilobytes)) throw new Error('a small disk could not be mounted')
  onTestFinished(() => unmount(folder))
  const filler = join(folder, 'filler')
  return {
    folder,
    fill(leaveBytes = 0) {
      const { bavail, bsize } = statfsSync(folder)
      writeFileSync(filler, Buffer.alloc(Math.max(0, bavail * bsize - leaveBytes)))
    },
    free: () => rmSync(filler, { force: true }),
    setReadOnly: (isReadOnly) => void spawnSync('mount', ['-o', `remount,${isReadOnly ? 'ro' : 'rw'}`, folder]),
  }
}

function mount(folder: string, kilobytes: number): boolean {
  return spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${kilobytes}k`, 'none', folder]).status === 0
}

/** Unmounts lazily, since a server that is stopped after the test may still use the file system. */
function unmount(folder: string): void {
  spawnSync('umount', ['-l', folder])
}
