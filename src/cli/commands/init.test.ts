import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { command } from '../../../test/support/command.ts'
import { closedPort, httpServer, tcpServer } from '../../../test/support/servers.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { sha256 } from '../../ids/sha256.ts'

let file = ''
beforeEach(() => {
  file = join(temporaryFolder(), 'tidemark.yaml')
})

const init = (args: readonly string[], typed = '') => command({ TIDEMARK_CONFIG: file }, ['init', ...args], Date.now, typed)

describe('tidemark init', () => {
  test('writes a valid file, runs its check, and shows the key once', async () => {
    const port = await httpServer((_, answer) => answer.end('ok'))
    const { stdout, exitCode } = await init([`http://127.0.0.1:${port}/health`])
    expect(exitCode).toBe(0)
    expect(stdout).toContain('200')
    const key = /tdm_\w+/.exec(stdout)?.[0] ?? ''
    const text = readFileSync(file, 'utf8')
    expect(text).toContain(sha256(key))
    expect(text).not.toContain(key)
    expect(text).toMatch(/^# yaml-language-server: \$schema=http:\/\/127\.0\.0\.1:8787\/tidemark\.schema\.json\n/)
    expect(text).toContain('scopes: [read, write]')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const validated = await command({ TIDEMARK_CONFIG: file }, ['validate'])
    expect(validated.stdout).toContain('1 account, 1 check, 1 key')
  })

  test('references the schema of a server on another port', async () => {
    const port = await httpServer((_, answer) => answer.end('ok'))
    await command({ TIDEMARK_CONFIG: file, TIDEMARK_PORT: '9090' }, ['init', `http://127.0.0.1:${port}`])
    expect(readFileSync(file, 'utf8')).toContain('$schema=http://127.0.0.1:9090/tidemark.schema.json')
  })

  test('prompts for the address', async () => {
    const port = await tcpServer((socket) => socket.end())
    const { exitCode, stderr } = await init([], `tcp://127.0.0.1:${port}\n`)
    expect(stderr).toContain('What should be checked?')
    expect(exitCode).toBe(0)
    expect(readFileSync(file, 'utf8')).toContain(`port: ${port}`)
  })

  test('keeps the file if the check fails, and exits with 1', async () => {
    const { exitCode, stdout } = await init([`http://127.0.0.1:${await closedPort()}`])
    expect(exitCode).toBe(1)
    expect(stdout).toContain('connection refused')
    expect(existsSync(file)).toBe(true)
  })

  test.each([
    [[], 'Specify what to check: tidemark init https://example.com'],
    [['http://'], 'http:// is not an address such as'],
    [['tcp://host'], 'tcp:// cannot be checked by address alone'],
    [['gopher://host'], 'gopher:// cannot be checked'],
  ])('rejects %j and writes nothing', async (args, message) => {
    const { exitCode, stderr } = await init(args)
    expect(exitCode).toBe(1)
    expect(stderr).toContain(message)
    expect(existsSync(file)).toBe(false)
  })

  test('does not change an existing file', async () => {
    writeFileSync(file, 'mine')
    expect((await init(['https://example.com'])).stderr).toContain('already exists')
    expect(readFileSync(file, 'utf8')).toBe('mine')
  })
})
