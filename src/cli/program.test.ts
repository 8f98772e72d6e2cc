import { expect, test } from 'vitest'
import { readSettings } from '../config.ts'
import { CommandFailure } from './context.ts'
import { buildProgram } from './program.ts'

const context = { settings: readSettings({}), env: {}, now: Date.now, stdin: process.stdin, stdout: process.stdout, stderr: process.stderr }
const namesOf = async (wanted?: string) => (await buildProgram(context, wanted)).commands.map((command) => command.name())

test('only the requested command is loaded', { timeout: 120_000 }, async () => {
  for (const name of await namesOf()) if (name !== 'completion') expect(await namesOf(name)).toEqual([name])
})

test('all commands are loaded to list them', { timeout: 120_000 }, async () => {
  const all = await namesOf()
  expect(all).toContain('validate')
  for (const wanted of ['completion', 'help', '--help', '--version', 'validat', '']) expect(await namesOf(wanted)).toEqual(all)
})

test('echoes of the command line are truncated', async () => {
  const written: string[] = []
  const program = await buildProgram(context, 'link')
  const commands = [program, ...program.commands, ...program.commands.flatMap(({ commands }) => commands)]
  for (const command of commands) command.exitOverride().configureOutput({ writeErr: (text) => void written.push(text) })
  const long = 'x'.repeat(100_000)
  for (const args of [
    ['link', 'create', '--path', long],
    ['link', long],
    ['link', 'list', `--${long}`],
  ])
    await expect(program.parseAsync(args, { from: 'user' })).rejects.toThrow()
  expect(written.join('')).toContain('xxx…')
  expect(Math.max(...written.map(({ length }) => length))).toBeLessThan(5000)
  expect(new CommandFailure(`There is no ${long}.`).message.length).toBeLessThan(3000)
})
