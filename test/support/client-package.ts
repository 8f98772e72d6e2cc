import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { temporaryFolder } from './temporary-folder.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const run = promisify(execFile)

/** A folder with nothing but the client, installed from what npm would publish of it. Nothing is downloaded. */
export async function installClient(): Promise<string> {
  const folder = temporaryFolder()
  const packed = [
    await pack('src/client', folder),
    ...(await Promise.all(dependencies.map((path) => pack(path, folder, '--ignore-scripts')))),
  ]
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n')
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', ...packed], { cwd: folder })
  return folder
}

const dependencies = ['node_modules/openapi-fetch', 'node_modules/openapi-typescript-helpers']

async function pack(path: string, folder: string, ...options: readonly string[]): Promise<string> {
  const { stdout } = await run('npm', ['pack', '--json', `--pack-destination=${folder}`, ...options], { cwd: join(root, path) })
  const [{ filename }] = JSON.parse(stdout.slice(stdout.indexOf('[\n')))
  return `./${filename}`
}

/** Checks the types of a program as a strict project would. */
export async function checkTypes(folder: string, name: string, program: string): Promise<void> {
  writeFileSync(join(folder, `${name}.ts`), program)
  const options = ['--noEmit', '--strict', '--target', 'es2022', '--module', 'nodenext', '--typeRoots', join(root, 'node_modules/@types')]
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  await run(process.execPath, [tsc, ...options, '--types', 'node', `${name}.ts`], { cwd: folder }).catch(({ stdout }) => {
    throw new Error(stdout)
  })
}

/** Runs a program without types, with these variables, and resolves with what it prints. */
export async function runExample(folder: string, program: string, env: Readonly<Record<string, string>>): Promise<string> {
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: folder,
    env: { ...process.env, ...env },
  })
  return stdout
}
