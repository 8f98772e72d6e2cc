// @slow
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { configuredFolder } from '../support/command.ts'
import { needing, programMissing } from '../support/needs.ts'
import { runProgram } from '../support/program.ts'

/** Root may read everything, so the program has to run as another user. */
const asNobody = process.getuid?.() === 0 ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] : []
const wrapper = { wrapper: asNobody }
const isReadable = (await programMissing('setpriv')) === null && (await runProgram(['--version'], wrapper)).status === 0
const options = { ...needing(isReadable ? null : 'the built program cannot be run by another user here'), timeout: 60_000 }

test.each([
  ['a folder without search permission', 0o000, 0o600],
  ['a database without read permission', 0o755, 0o000],
])('doctor and export report in one line that they cannot use %s', options, async (_, folderMode, fileMode) => {
  const folder = configuredFolder()
  const data = join(folder, 'data')
  mkdirSync(data)
  writeFileSync(join(data, 'tidemark.db'), '')
  chmodSync(join(data, 'tidemark.db'), fileMode)
  chmodSync(data, folderMode)
  chmodSync(folder, 0o755)
  for (const command of [['doctor'], ['export', '--all', '--account', 'acme']]) {
    const args = [...command, '--data', data, '--config', join(folder, 'tidemark.yaml')]
    const { status, stdout, stderr } = await runProgram(args, wrapper)
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
    expect(stderr).toMatch(/^\S+\/tidemark\.db cannot be used \(EACCES, \w+\)\. Permission denied[^\n]*\n$/)
  }
  chmodSync(data, 0o755)
})
