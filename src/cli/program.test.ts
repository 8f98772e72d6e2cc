import { expect, test } from 'vitest'
import { readSettings } from '../config.ts'
import { buildProgram } from './program.ts'

const context = { settings: readSettings({}), env: {}, now: Date.now, stdout: process.stdout, stderr: process.stderr }
const namesOf = async (wanted?: string) => (await buildProgram(context, wanted)).commands.map((command) => command.name())

test('a command that is asked for is loaded alone', { timeout: 120_000 }, async () => {
  for (const name of await namesOf()) if (name !== 'completion') expect(await namesOf(name)).toEqual([name])
})

test('all commands are loaded where they are shown', { timeout: 120_000 }, async () => {
  const all = await namesOf()
  expect(all).toContain('validate')
  for (const wanted of ['completion', 'help', '--help', '--version', 'validat', '']) expect(await namesOf(wanted)).toEqual(all)
})
