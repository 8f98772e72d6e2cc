import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { temporaryFolder } from './temporary-folder.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const run = promisify(execFile)

/** A folder with only the client, installed from the files that npm would publish. Downloads nothing. */
export async function installClient(): Promise<string> {
  const folder = temporaryFolder()
  const packed = await pack('src/client', folder)
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n')
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', '--install-links', packed, ...dependencies], { cwd: folder })
  return folder
}

const dependencies = ['openapi-fetch', 'openapi-typescript-helpers'].map((name) => join(root, 'node_modules', name))

async function pack(path: string, folder: string): Promise<string> {
  const { stdout } = await run('npm', ['pack', '--json', `--pack-destination=${folder}`], { cwd: join(root, path) })
  const [{ filename }] = JSON.parse(stdout.slice(stdout.indexOf('[\n')))
  return `./${filename}`
}

/** Type-checks programs like a strict project would. */
export async function checkTypes(folder: string, programs: readonly string[]): Promise<void> {
  const files = programs.map((_, i) => `program-${i}.ts`)
  for (const [i, file] of files.entries()) writeFileSync(join(folder, file), programs[i] ?? '')
  const options = ['--noEmit', '--strict', '--target', 'es2022', '--module', 'nodenext', '--typeRoots', join(root, 'node_modules/@types')]
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  await run(process.execPath, [tsc, ...options, '--types', 'node', ...files], { cwd: folder }).catch(({ stdout }) => {
    throw new Error(stdout)
  })
}

/** Runs an untyped program with these variables, and returns its output. */
export async function runExample(folder: string, program: string, env: Readonly<Record<string, string>>): Promise<string> {
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: folder,
    env: { ...process.env, ...env },
  })
  return stdout
}
