import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from './install.mjs'
import { isRoot } from './needs.mjs'

/** The uid of the user `nobody`. */
const nobody = 65_534

/**
 * Packs the npm package, installs it into an empty folder and runs it there as an unprivileged user, like deploy/Dockerfile. Throws if any
 * step fails.
 */
export async function checkPackage() {
  const folder = mkdtempSync(join(tmpdir(), 'tidemark-package-'))
  try {
    const [{ filename, files }] = JSON.parse(must('npm', ['pack', '--json', '--loglevel=error', `--pack-destination=${folder}`], root))
    requireShrinkwrap(files.map(({ path }) => path))
    writeFileSync(join(folder, 'package.json'), '{ "private": true }\n')
    must('npm', ['install', '--engine-strict', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error', `./${filename}`], folder)
    runInstalled(folder)
    await serveInstalled(folder)
    return filename
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** npm installs the exact versions of the shrinkwrap. */
function requireShrinkwrap(paths) {
  const { dependencies = {} } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))
  if (Object.keys(dependencies).length > 0 && !paths.includes('npm-shrinkwrap.json'))
    throw new Error('The package has no npm-shrinkwrap.json: whoever installs it would get other versions than were tested.')
}

function runInstalled(folder) {
  const { version } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))
  const program = join(folder, 'node_modules/.bin/tidemark')
  const reported = must(program, ['--version'], folder).trim()
  if (reported !== version) throw new Error(`The installed program says that it is ${reported}, not ${version}.`)
  writeFileSync(join(folder, 'tidemark.yaml'), 'accounts:\n  - id: acme\n')
  must(program, ['validate', '--config', 'tidemark.yaml'], folder)
}

/** Starts the installed server and runs the container's health check against it. */
async function serveInstalled(folder) {
  const dockerfile = readFileSync(`${root}deploy/Dockerfile`, 'utf8')
  const commandOf = (instruction) => JSON.parse(new RegExp(`^${instruction} (\\[.*)$`, 'm').exec(dockerfile)?.[1] ?? '[]')
  const [node, ...check] = commandOf('HEALTHCHECK .*CMD')
  const server = startWithoutPrivileges(commandOf('CMD'), folder)
  const exited = once(server, 'exit')
  try {
    const [line] = await Promise.race([once(server.stdout, 'data'), exited])
    const address = /http:\S+/.exec(String(line))?.[0]
    if (!address) throw new Error('The installed server does not start.')
    const args = check.map((part) => part.replace('http://127.0.0.1:8787', address))
    must(node, args, folder)
  } finally {
    server.kill('SIGTERM')
  }
  const [status] = await exited
  if (status !== 0) throw new Error(`The installed server ended with status ${status}.`)
}

function startWithoutPrivileges([program, ...args], folder) {
  const data = join(folder, 'data')
  mkdirSync(data, { mode: 0o700 })
  chmodSync(folder, 0o755)
  if (isRoot) chownSync(data, nobody, nobody)
  const places = { TIDEMARK_CONFIG: join(folder, 'tidemark.yaml'), TIDEMARK_DATA: data, TIDEMARK_PORT: '0' }
  return spawn(join(folder, 'node_modules/.bin', program), args, {
    cwd: data,
    env: { PATH: process.env.PATH, ...places },
    stdio: ['ignore', 'pipe', 'inherit'],
    ...(isRoot && { uid: nobody, gid: nobody }),
  })
}

/** The output of a command. For `npm pack`, only the JSON, which follows the output of the build. */
function must(command, args, cwd) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8', maxBuffer: 64 * 2 ** 20 })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed:\n${error ?? `${stdout}${stderr}`}`)
  return args[0] === 'pack' ? stdout.slice(stdout.indexOf('[\n')) : stdout
}

if (process.argv[1] === new URL(import.meta.url).pathname)
  console.log(`${await checkPackage()} installs into an empty folder and runs there.`)
