import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { checkPackage } from './check-package.mjs'
import { root } from './install.mjs'

const usage = 'Usage: npm run release -- <version | major | minor | patch> [--dry-run]'
const client = 'src/client'
/** Includes the manifest of the page, which is not published but part of the lockfile. */
const manifests = ['package.json', `${client}/package.json`, 'src/web/package.json']
const changed = [...manifests, 'package-lock.json', 'CHANGELOG.md']

try {
  await release()
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}

/** Sets the version, writes the changelog heading, checks the package, commits and tags. A dry run reverts everything. */
async function release() {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { 'dry-run': { type: 'boolean' } } })
  if (positionals.length !== 1) throw new Error(usage)
  const version = versionAfter(read('package.json').match(/"version": "([^"]+)"/)[1], positionals[0])
  if (git('status', '--porcelain') !== '') throw new Error('There are changes that are not committed.')
  if (git('tag', '--list', `v${version}`) !== '') throw new Error(`There is a tag v${version} already.`)
  try {
    writeVersion(version)
    const file = await checkPackage()
    console.log(`${file} installs into an empty folder and runs there.`)
    if (values['dry-run']) return console.log(`A dry run: nothing is committed. The release would be v${version}.`)
    git('commit', '--quiet', '--message', `Release ${version}`, '--', ...changed)
    git('tag', '--annotate', `v${version}`, '--message', `Tidemark ${version}`)
    console.log(
      `v${version} is committed and tagged. To publish it: git push --follow-tags && npm publish && npm publish --workspace=@tidemark/client`,
    )
  } finally {
    git('checkout', '--quiet', 'HEAD', '--', ...changed)
  }
}

function versionAfter(current, wanted) {
  const [major, minor, patch] = current.split('.').map(Number)
  const next = { major: [major + 1, 0, 0], minor: [major, minor + 1, 0], patch: [major, minor, patch + 1] }[wanted]?.join('.') ?? wanted
  if (!/^\d+\.\d+\.\d+$/.test(next)) throw new Error(usage)
  if (next.localeCompare(current, 'en', { numeric: true }) <= 0) throw new Error(`${next} does not come after ${current}.`)
  return next
}

function writeVersion(version) {
  for (const path of manifests) write(path, (text) => text.replace(/"version": "[^"]+"/, `"version": "${version}"`))
  write('package-lock.json', (text) => {
    const lock = JSON.parse(text)
    lock.version = version
    for (const path of ['', client, 'src/web']) lock.packages[path].version = version
    return `${JSON.stringify(lock, null, 2)}\n`
  })
  write('CHANGELOG.md', (text) => withRelease(text, version, new Date().toISOString().slice(0, 10)))
}

/** Turns the unreleased section into the section of the version. A section that was written before gets today's date. */
function withRelease(text, version, date) {
  const isWritten = (heading) => new RegExp(`^## \\[${heading.replaceAll('.', '\\.')}\\].*\\n+(?!## )\\S`, 'm').test(text)
  if (!isWritten(version) && !isWritten('Unreleased')) throw new Error('CHANGELOG.md says nothing under "## [Unreleased]".')
  if (isWritten(version) && isWritten('Unreleased'))
    throw new Error(`CHANGELOG.md has changes under "## [Unreleased]" as well as under "## [${version}]".`)
  if (!isWritten(version)) return text.replace('## [Unreleased]\n', `## [Unreleased]\n\n## [${version}] - ${date}\n`)
  return text.replace(new RegExp(`^## \\[${version.replaceAll('.', '\\.')}\\].*$`, 'm'), `## [${version}] - ${date}`)
}

function read(path) {
  return readFileSync(`${root}${path}`, 'utf8')
}

function write(path, change) {
  writeFileSync(`${root}${path}`, change(read(path)))
}

function git(...args) {
  const { status, stdout, stderr } = spawnSync('git', args, { cwd: root, encoding: 'utf8' })
  if (status !== 0) throw new Error(`git ${args[0]} failed: ${stderr.trim()}`)
  return stdout.trim()
}
