// @slow ci
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { parseConfig } from '../../src/catalogue/config-file/parse.ts'
import { builtModule, builtModules } from '../support/built.ts'
import { tidemark } from '../support/command.ts'
import { runProgram, startProgram } from '../support/program.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const options = { timeout: 120_000 }

async function configFile(): Promise<string> {
  const file = join(temporaryFolder(), 'tidemark.yaml')
  await writeFile(file, '# ours\naccounts:\n  - id: acme\n')
  return file
}

const keyArgs = (file: string, verb: string, name: string) => ['key', verb, '--config', file, '--account', 'acme', '--name', name]

async function contents(file: string) {
  const parsed = parseConfig(await readFile(file, 'utf8'), {})
  if ('faults' in parsed) throw new Error(JSON.stringify(parsed.faults))
  const { keys, links, policies } = parsed.config
  return { keys: keys.map(({ name }) => name), links: links.map(({ name }) => name), maintenance: policies.get('acme')?.maintenance ?? [] }
}

test('every change that one of many concurrent commands reports is in the file', options, async () => {
  const file = await configFile()
  const old = ['old-0', 'old-1']
  for (const name of old) await tidemark(dirname(file), 'key', 'create', '--account', 'acme', '--name', name)
  const created = ['new-0', 'new-1', 'new-2']
  const linked = ['link', 'create', '--config', file, '--path', '/v1/slos', '--expires', '1d', '--name', 'shared']
  const ended = await Promise.all([
    ...old.map((name) => runProgram(keyArgs(file, 'revoke', name))),
    ...created.map((name) => runProgram(keyArgs(file, 'create', name))),
    runProgram(linked),
    runProgram(['maintenance', 'add', 'Patching', '--config', file, '--for', '1h']),
  ])
  expect(ended.filter(({ status }) => status !== 0)).toEqual([])
  const after = await contents(file)
  expect(after.keys.toSorted()).toEqual(created)
  expect(after.links).toEqual(['shared'])
  expect(after.maintenance).toHaveLength(1)
})

test('of concurrent commands with the same name, only one succeeds', options, async () => {
  const file = await configFile()
  const ended = await Promise.all(Array.from({ length: 3 }, () => runProgram(keyArgs(file, 'create', 'same'))))
  expect(ended.map(({ status }) => status).sort()).toEqual([0, 1, 1])
  expect((await contents(file)).keys).toEqual(['same'])
})

test('killed commands lose no changes of others, and leave no lock', options, async () => {
  const file = await configFile()
  const names = Array.from({ length: 6 }, (_, i) => `key-${i}`)
  const ended = await Promise.all(
    names.map(async (name, i) => {
      const started = startProgram(keyArgs(file, 'create', name), { wrapper: i % 2 === 0 ? [] : killedAfter(20 * i + 150) }, /(tdm_\S+)\n/)
      return started
        .then(({ ended }) => ended)
        .then(
          ({ status }) => (status === 0 ? name : null),
          () => null,
        )
    }),
  )
  const done = ended.filter((name) => name !== null)
  const { keys } = await contents(file)
  expect(done.length).toBeGreaterThanOrEqual(names.length / 2)
  expect(keys).toEqual(expect.arrayContaining(done))
  expect(await runProgram(keyArgs(file, 'create', 'last'))).toMatchObject({ status: 0 })
  expect((await readdir(join(file, '..'))).sort()).toEqual(['.tidemark.yaml.lock', 'tidemark.yaml'])
})

test('a command that waits too long for the lock names the process that holds it, and works once that is killed', options, async () => {
  const file = await configFile()
  const holder = await holdLock(file)
  const { status, stdout, stderr } = await runProgram(keyArgs(file, 'create', 'late'))
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
  expect(stderr).toBe(`${file} has been locked for 10 s by process ${holder.pid}. Stop it, or try again later.\n`)
  const waiting = runProgram(keyArgs(file, 'create', 'early'))
  holder.kill('SIGKILL')
  expect(await waiting).toMatchObject({ status: 0 })
  expect((await contents(file)).keys).toEqual(['early'])
})

const killedAfter = (ms: number) => ['timeout', '--signal=KILL', `${ms / 1000}`]

/** A process that hangs in the middle of a change. */
async function holdLock(file: string) {
  const module = builtModule(await builtModules(), 'cli/change-file.ts')
  const script = `import { changeFile } from ${JSON.stringify(module)}
await changeFile(${JSON.stringify(file)}, (text) => { process.stdout.write('held'); for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0) })`
  const holder = spawn(process.execPath, ['--input-type=module', '--eval', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void holder.kill('SIGKILL'))
  await once(holder.stdout, 'data')
  return holder
}
