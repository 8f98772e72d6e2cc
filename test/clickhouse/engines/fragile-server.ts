import { spawnSync } from 'node:child_process'
import { closeSync, openSync, rmSync, utimesSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { programMissing } from '../../support/needs.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { launchServer, reservePorts, type Server, startOldFront } from './server.ts'
import { type Secured, writeServerConfig, writeUsers } from './server-config.ts'

/** Debian's clickhouse-server, with faults on demand. */
export type FragileServer = Server & {
  /** Changes the rights of the user `secured`. */
  changeUser(secured: Secured): void
  kill(): Promise<void>
  start(): Promise<void>
  /** Fills its disk to the last byte; `clearDisk` frees the space again. Requires `diskMegabytes`. */
  fillDisk(): void
  clearDisk(): void
}

/** Disks can only be filled if a process may mount its own file system. */
export async function diskMissing(): Promise<string | null> {
  const missing = await programMissing('unshare')
  if (missing) return missing
  const { status } = spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'none', '/mnt'])
  return status === 0 ? null : 'a process may not mount a disk of its own on this machine'
}

/** With `diskMegabytes`, its data is on a disk of this size that only the server sees and that disappears with it. */
export async function startFragileServer({ diskMegabytes }: { readonly diskMegabytes?: number } = {}): Promise<FragileServer> {
  const [folder, ports] = [temporaryFolder(), await reservePorts()]
  const address = `http://127.0.0.1:${ports.http}`
  const config = writeServerConfig(folder, { host: '127.0.0.1', ports, cluster: '' })
  const launch = () => launchServer(config, address, diskMegabytes ? withDisk(join(folder, 'data'), diskMegabytes) : [])
  let running = await launch()
  let changes = 0
  const front = await startOldFront(address)
  const filler = () => join(`/proc/${running.pid}/root`, folder, 'data', 'filler')
  return {
    url: front.url,
    changeUser(secured) {
      writeUsers(folder, secured)
      // A server compares times in whole seconds, and would miss a second change within one.
      const changedAt = Math.floor(Date.now() / 1000) + ++changes
      utimesSync(join(folder, 'users.xml'), changedAt, changedAt)
    },
    kill: () => running.end('SIGKILL'),
    async start() {
      running = await launch()
    },
    fillDisk: () => fill(filler()),
    clearDisk: () => rmSync(filler()),
    async stop() {
      await front.close()
      await running.end('SIGKILL')
    },
  }
}

/** Each command execs the next, so the server ends up with the first process id. */
function withDisk(folder: string, megabytes: number): readonly string[] {
  const script = `mount -t tmpfs -o size=${megabytes}m none "$1" && shift && exec "$@"`
  return ['unshare', '--mount', 'sh', '-c', script, 'sh', folder]
}

function fill(path: string): void {
  const file = openSync(path, 'a')
  const block = Buffer.alloc(65_536)
  try {
    for (;;) writeSync(file, block)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  } finally {
    closeSync(file)
  }
}
