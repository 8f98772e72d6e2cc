// @slow
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { buildProgram } from '../../src/cli/program.ts'
import { readSettings } from '../../src/config.ts'
import { command } from '../support/command.ts'
import { needing, programMissing } from '../support/needs.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const run = promisify(execFile)
const program = await buildProgram({
  settings: readSettings({}),
  env: {},
  now: Date.now,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
})

async function scriptFor(shell: string): Promise<string> {
  const file = join(temporaryFolder(), `tidemark.${shell}`)
  writeFileSync(file, (await command({}, ['completion', shell])).stdout)
  return file
}

describe('bash', needing(await programMissing('bash')), () => {
  let file = ''
  beforeAll(async () => {
    file = await scriptFor('bash')
  })
  /** What bash would suggest for the last of these words. */
  const complete = async (...words: readonly string[]) => {
    const script = `source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tidemark; printf '%s\\n' "\${COMPREPLY[@]}"`
    const { stdout } = await run('bash', ['-c', script, file, 'tidemark', ...words])
    return stdout.trim().split('\n')
  }

  test('offers every command', async () => {
    expect(await complete('')).toEqual(expect.arrayContaining(program.commands.map((each) => each.name())))
    expect(await complete('rep')).toEqual(['report'])
  })
  test('offers the commands below a command', async () => {
    const key = program.commands.find((each) => each.name() === 'key')
    expect(await complete('key', '')).toEqual(expect.arrayContaining(key?.commands.map((each) => each.name()) ?? []))
  })
  test('offers every option of every command', async () => {
    for (const each of program.commands) {
      const flags = each.options.flatMap(({ long }) => long ?? [])
      expect(await complete(each.name(), '--')).toEqual(expect.arrayContaining(flags))
    }
  })
  test('offers the values of an option, in both spellings', async () => {
    expect(await complete('report', 'Homepage', '--format', '')).toEqual(['table', 'json', 'csv', 'markdown'])
    expect(await complete('report', '--format', '=', 'm')).toEqual(['markdown'])
    expect(await complete('report', '--format', '=')).toEqual(['table', 'json', 'csv', 'markdown'])
  })
  test('offers the choices of an argument', async () => {
    expect(await complete('completion', 'b')).toEqual(['bash'])
  })
  test('falls back to file names for values without choices', async () => {
    expect(await complete('serve', '--config', 're')).toEqual([''])
  })
  test('is registered for tidemark', async () => {
    const { stdout } = await run('bash', ['-c', 'source "$0"; complete -p tidemark', file])
    expect(stdout.trim()).toBe('complete -o default -F _tidemark tidemark')
  })
})

for (const shell of ['zsh', 'fish']) {
  test(`the script for ${shell} has no syntax error`, needing(await programMissing(shell)), async () => {
    await run(shell, ['-n', await scriptFor(shell)])
  })
  test(`the script for ${shell} contains every command and every choice`, async () => {
    const { stdout } = await command({}, ['completion', shell])
    for (const each of program.commands) expect(stdout).toContain(`'tidemark ${each.name()}'`)
    expect(stdout).toContain('markdown')
  })
}

test('an unknown shell is rejected with a list of the supported ones', async () => {
  const outcome = run(process.execPath, [new URL('../../dist/bin.cjs', import.meta.url).pathname, 'completion', 'csh'])
  await expect(outcome).rejects.toMatchObject({ stderr: expect.stringContaining('bash, zsh, fish') })
})
