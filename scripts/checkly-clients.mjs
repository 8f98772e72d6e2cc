import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { root } from './install.mjs'

/** Third-party CLI versions that use this API, and the Node version they require. */
const folder = `${root}test/integrations/checkly/`
const stamp = `${folder}node_modules/.tidemark-installed`
const nodeVersion = 24
const isCurrent = Number.parseInt(process.versions.node, 10) >= nodeVersion
const nodePackage = `node-${process.platform}-${process.arch}`

/** The folder of the CLIs, the Node binary to run them, and why tests cannot use them; null if they can. */
export function checklyClients() {
  const node = isCurrent ? process.execPath : `${folder}node_modules/${nodePackage}/bin/node`
  return {
    clients: folder,
    node,
    clientsMissing: isInstalled() ? null : 'the CLI of others for this API is not installed (node scripts/needs.mjs)',
  }
}

/** Installs the CLIs unless these exact versions are installed. */
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
