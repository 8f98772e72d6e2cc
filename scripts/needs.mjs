import { spawnSync } from 'node:child_process'
import { accessSync, constants, existsSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'
import { installChecklyClients } from './checkly-clients.mjs'

export const zooKeeper = '/usr/share/zookeeper/bin/zkServer.sh'

/** Programs that tests need in addition to Node, and the Debian packages that contain them. */
const needs = [
  { program: 'chromium-headless-shell', packages: ['chromium-headless-shell', 'fonts-dejavu-core', 'fonts-liberation'] },
  { program: 'ping', packages: ['iputils-ping'] },
  { program: 'curl', packages: ['curl'] },
  { program: 'git', packages: ['git'] },
  { program: 'cc', packages: ['gcc', 'libc6-dev'] },
  { program: 'prlimit', packages: ['util-linux'] },
  { program: 'promtool', packages: ['prometheus'] },
  { program: 'prometheus-alertmanager', packages: ['prometheus-alertmanager'] },
  { program: 'python3', packages: ['python3-minimal'] },
  { program: 'Rscript', packages: ['r-base-core'] },
  { program: 'jq', packages: ['jq'] },
  { program: 'zsh', packages: ['zsh'] },
  { program: 'fish', packages: ['fish'] },
  { program: 'nginx', packages: ['nginx-light'] },
  { program: 'ip', packages: ['iproute2'] },
  { program: 'systemd-analyze', packages: ['systemd'] },
  { program: 'clickhouse-server', packages: ['clickhouse-server', 'clickhouse-common'] },
  { program: zooKeeper, packages: ['zookeeper'] },
]

export const isRoot = process.getuid?.() === 0
export const hasApt = isProgram('apt-get')

/** The Debian packages of programs that are missing from the PATH. */
export function missingPackages() {
  return needs.filter(({ program }) => !isProgram(program)).flatMap(({ packages }) => packages)
}

/** Installs missing packages if possible: as root on Debian and its derivatives. */
function installMissing() {
  const packages = missingPackages()
  if (packages.length === 0) return
  if (!isRoot || !hasApt) {
    console.error(`Not installed, which takes root and apt-get: ${packages.join(' ')}`)
    return
  }
  console.error(`Installing ${packages.join(' ')} …`)
  const options = { stdio: ['ignore', 'ignore', 'inherit'], env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } }
  spawnSync('apt-get', ['update', '-qq'], options)
  const { status } = withoutServices(() => spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages], options))
  if (status !== 0) console.error('apt-get could not install them all.')
}

/** Keeps packages from starting services: tests start their own servers. */
function withoutServices(install) {
  const policy = '/usr/sbin/policy-rc.d'
  if (existsSync(policy)) return install()
  writeFileSync(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 })
  try {
    return install()
  } finally {
    rmSync(policy)
  }
}

export function isProgram(name) {
  return programPath(name) !== undefined
}

export function programPath(name) {
  if (isAbsolute(name)) return isExecutable(name) ? name : undefined
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  return folders.map((folder) => join(folder, name)).find(isExecutable)
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  installMissing()
  installChecklyClients()
}
