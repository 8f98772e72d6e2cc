import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { configuredFolder, tidemark } from '../../../test/support/command.ts'
import { httpServer } from '../../../test/support/servers.ts'
import { checkTypes } from '../../checks/registry.ts'

const adopt = (folder: string, port: number) =>
  tidemark(folder, 'config', 'adopt', '--all', '--url', `http://127.0.0.1:${port}/`, '--key', 'k', '--account', 'acme')

test('an adoption that exceeds the rate limit continues after the pause that the server asks for, or a second', async () => {
  let requests = 0
  const port = await httpServer((_, response) => {
    requests++
    if (requests === 4 || requests === 5)
      response.writeHead(429, { 'retry-after': requests === 4 ? '2' : '0' }).end('{"message": "Too many requests."}')
    else response.end('{"valid": true, "action": "create", "faults": []}')
  })
  const { exitCode, stdout, stderr } = await adopt(configuredFolder(), port)
  expect([exitCode, stdout]).toEqual([0, expect.stringContaining(`${checkTypes.length} checks are managed by the server now`)])
  const retries = [2, 1].map((seconds) => `The server at http://127.0.0.1:${port}/ is busy (429). Retrying in ${seconds} s.\n`)
  expect(stderr).toContain(retries.join(''))
})

test('an adoption without a server fails with a message and changes nothing', async () => {
  const folder = configuredFolder()
  const before = readFileSync(join(folder, 'tidemark.yaml'), 'utf8')
  const { exitCode, stderr } = await adopt(folder, 9)
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('No Tidemark server responds at http://127.0.0.1:9/')])
  expect(readFileSync(join(folder, 'tidemark.yaml'), 'utf8')).toBe(before)
})
