import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from './install.mjs'

/** Packs what npm would publish, installs it into an empty folder and runs it there. Throws where any of that fails. */
export function checkPackage() {
  const folder = mkdtempSync(join(tmpdir(), 'tidemark-package-'))
  try {
    const [{ filename }] = JSON.parse(must('npm', ['pack', '--json', '--loglevel=error', `--pack-destination=${folder}`], root))
    writeFileSync(join(folder, 'package.json'), '{ "private": true }\n')
    must('npm', ['install', '--engine-strict', '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error', `./${filename}`], folder)
    runInstalled(folder)
    return filename
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function runInstalled(folder) {
  const { version } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))
  const program = join(folder, 'node_modules/.bin/tidemark')
  const told = must(program, ['--version'], folder).trim()
  if (told !== version) throw new Error(`The installed program says that it is ${told}, not ${version}.`)
  writeFileSync(join(folder, 'tidemark.yaml'), 'accounts:\n  - id: acme\n')
  must(program, ['validate', '--config', 'tidemark.yaml'], folder)
}

/** What the command printed, which may end in the JSON that was asked for after the words of a build. */
function must(command, args, cwd) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8', maxBuffer: 64 * 2 ** 20 })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed:\n${error ?? `${stdout}${stderr}`}`)
  return args[0] === 'pack' ? stdout.slice(stdout.indexOf('[\n')) : stdout
}

if (process.argv[1] === new URL(import.meta.url).pathname) console.log(`${checkPackage()} installs into an empty folder and runs there.`)
