import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { root } from './install.mjs'

/** Versions of the CLI that others use for this API, and the Node that they need. */
const folder = `${root}test/integrations/checkly/`
const stamp = `${folder}node_modules/.tidemark-installed`
const nodeVersion = 24
const isCurrent = Number.parseInt(process.versions.node, 10) >= nodeVersion
const nodePackage = `node-${process.platform}-${process.arch}`

/** Where they are, the Node to run them with, and in words why tests cannot use them; null where they can. */
export function checklyClients() {
  const node = isCurrent ? process.execPath : `${folder}node_modules/${nodePackage}/bin/node`
  return {
    clients: folder,
    node,
    clientsMissing: isInstalled() ? null : 'the CLI of others for this API is not installed (node scripts/needs.mjs)',
  }
}

/** Installs them, unless just these are there. */
export function installChecklyClients() {
  if (isInstalled()) return
  console.error('Installing the CLI of others for this API …')
  const flags = ['--no-engine-strict', '--no-save', '--no-package-lock', '--no-audit', '--no-fund', '--loglevel=error', '--fetch-retries=1']
  const { status } = spawnSync('npm', ['install', ...flags, ...further()], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
    timeout: 8 * 60_000,
  })
  if (status === 0) writeFileSync(stamp, wanted())
  else console.error('npm could not install it.')
}

function isInstalled() {
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted()
}

function wanted() {
  return JSON.stringify([JSON.parse(readFileSync(`${folder}package.json`, 'utf8')).dependencies, further()])
}

function further() {
  return isCurrent ? [] : [`${nodePackage}@${nodeVersion}`]
}
