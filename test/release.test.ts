// @slow ci
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { needing, programMissing } from './support/needs.ts'
import { temporaryFolder } from './support/temporary-folder.ts'

const options = { ...needing(await programMissing('git')), timeout: 120_000 }

const scripts = fileURLToPath(new URL('../scripts', import.meta.url))
const program = `#!/usr/bin/env node
const { version } = require('../package.json')
if (process.argv[2] === '--version') console.log(version)
else if (process.argv[2] === 'serve') {
  const server = require('node:http').createServer((_, answer) => answer.end())
  server.listen(0, '127.0.0.1', () => console.log('Tidemark listening on http://127.0.0.1:' + server.address().port))
  process.on('SIGTERM', () => process.exit(0))
} else if (process.argv[2] !== 'validate' || !require('node:fs').existsSync(process.argv[4])) process.exit(1)
`
const changelog = '# Changelog\n\n## [Unreleased]\n\n### Added\n\n- Something new.\n\n## [0.9.0] - 2026-01-01\n\nThe first version.\n'

const today = () => new Date().toISOString().slice(0, 10)

/** A repository with a small package named like ours, so that nothing is downloaded. */
function repository(changes: Readonly<Record<string, string>> = {}) {
  const folder = temporaryFolder()
  const manifest = { name: 'tidemark', version: '0.9.0', bin: { tidemark: 'dist/bin.cjs' }, files: ['dist'] }
  const files = {
    'package.json': `${JSON.stringify(manifest, null, 2)}\n`,
    'src/client/package.json': '{ "name": "@tidemark/client", "version": "0.9.0" }\n',
    'src/web/package.json': '{ "name": "tidemark-web", "version": "0.9.0" }\n',
    'package-lock.json': JSON.stringify({
      name: 'tidemark',
      version: '0.9.0',
      lockfileVersion: 3,
      packages: {
        '': manifest,
        'src/client': { name: '@tidemark/client', version: '0.9.0' },
        'src/web': { name: 'tidemark-web', version: '0.9.0' },
      },
    }),
    'CHANGELOG.md': changelog,
    'dist/bin.cjs': program,
    'deploy/Dockerfile': readFileSync(join(scripts, '../deploy/Dockerfile'), 'utf8'),
    ...changes,
  }
  cpSync(scripts, join(folder, 'scripts'), { recursive: true })
  for (const path of ['dist', 'deploy', 'src/client', 'src/web']) mkdirSync(join(folder, path), { recursive: true })
  for (const [path, text] of Object.entries(files)) writeFileSync(join(folder, path), text, { mode: 0o755 })
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.com', ...args], { cwd: folder, encoding: 'utf8' }).trim()
  git('init', '--quiet')
  git('config', 'user.name', 'T')
  git('config', 'user.email', 't@example.com')
  git('add', '.')
  git('commit', '--quiet', '--message', 'All')
  const release = (...args: readonly string[]) =>
    spawnSync(process.execPath, [join(folder, 'scripts/release.mjs'), ...args], { cwd: folder, encoding: 'utf8' })
  return { folder, git, release, read: (path: string) => readFileSync(join(folder, path), 'utf8') }
}

test('a release changes the version and the changelog heading, and creates a commit and a tag', options, () => {
  const { git, release, read } = repository()
  expect(release('minor')).toMatchObject({ status: 0, stderr: '', stdout: expect.stringContaining('v0.10.0 is committed and tagged') })
  for (const path of ['package.json', 'src/client/package.json', 'src/web/package.json'])
    expect(JSON.parse(read(path)).version).toBe('0.10.0')
  const packages = { '': { version: '0.10.0' }, 'src/client': { version: '0.10.0' }, 'src/web': { version: '0.10.0' } }
  expect(JSON.parse(read('package-lock.json'))).toMatchObject({ version: '0.10.0', packages })
  expect(read('CHANGELOG.md')).toMatch(
    /^# Changelog\n\n## \[Unreleased\]\n\n## \[0\.10\.0\] - \d{4}-\d{2}-\d{2}\n\n### Added\n\n- Something new\.\n\n## \[0\.9\.0\]/,
  )
  expect(git('log', '--format=%s %D', '-1')).toMatch(/^Release 0\.10\.0 .*tag: v0\.10\.0/)
  expect(git('status', '--porcelain')).toBe('')
})

test('a release whose changelog section exists gets the current date', options, () => {
  const written = '# Changelog\n\n## [Unreleased]\n\n## [0.10.0] - 2026-01-02\n\n### Added\n\n- Something new.\n'
  const { release, read } = repository({ 'CHANGELOG.md': written })
  const days = [today()]
  expect(release('0.10.0')).toMatchObject({ status: 0, stderr: '' })
  days.push(today())
  expect(days.map((day) => written.replace('2026-01-02', day))).toContain(read('CHANGELOG.md'))
})

test('a dry run checks the package and changes nothing', options, () => {
  const { git, release, read } = repository()
  expect(release('1.0.0', '--dry-run')).toMatchObject({ status: 0, stdout: expect.stringContaining('tidemark-1.0.0.tgz installs') })
  expect([git('status', '--porcelain'), git('tag'), git('log', '--format=%s')]).toEqual(['', '', 'All'])
  expect(read('CHANGELOG.md')).toBe(changelog)
})

test.each<[string, Record<string, string>, string, string]>([
  ['whose package does not run', { 'dist/bin.cjs': '#!/usr/bin/env node\nprocess.exit(3)\n' }, 'patch', 'tidemark --version failed'],
  ['that reports another version', { 'dist/bin.cjs': '#!/usr/bin/env node\nconsole.log("0.0.0")\n' }, 'patch', 'not 0.9.1'],
  ['without changelog entries', { 'CHANGELOG.md': '# Changelog\n\n## [Unreleased]\n\n## [0.9.0] - 2026-01-01\n' }, 'patch', 'says nothing'],
  [
    'with two changelog sections',
    { 'CHANGELOG.md': `${changelog}\n## [0.9.1] - 2026-02-02\n\n- More.\n` },
    'patch',
    'as well as under "## [0.9.1]"',
  ],
  ['of a version that is not newer', {}, '0.9.0', '0.9.0 does not come after 0.9.0'],
  ['of an invalid version', {}, 'soon', 'Usage: npm run release'],
])('a release %s is rejected, and nothing is changed', options, (_, changes, version, words) => {
  const { git, release } = repository(changes)
  expect(release(version)).toMatchObject({ status: 1, stderr: expect.stringContaining(words) })
  expect([git('status', '--porcelain'), git('tag'), git('log', '--format=%s')]).toEqual(['', '', 'All'])
})
