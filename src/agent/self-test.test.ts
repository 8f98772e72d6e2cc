import { expect, test } from 'vitest'
import { checkTypeOf, passed } from '../../test/support/checks.ts'
import { type SelfTestFinding, selfTest } from './self-test.ts'
import { Unreachable } from './server-connection.ts'

type Options = Parameters<typeof selfTest>[0]

const answering = (status: number, body = '{"status":"ok"}') => ({ send: async () => ({ status, body, headers: new Headers() }) })
const onTime = { offsetMs: () => 12, isOff: () => false }

async function findings(more: Partial<Options> = {}): Promise<Readonly<Record<string, SelfTestFinding>>> {
  const found = await selfTest({
    machine: { chromium: null, env: {} },
    server: new URL('https://tidemark.example.com'),
    connection: answering(200),
    serverTime: onTime,
    checkTypes: [],
    lookup: async () => ({ address: '192.0.2.7' }),
    ...more,
  })
  return Object.fromEntries(found.map((finding) => [finding.subject, finding]))
}

test('where nothing is wrong, it reports what it has found', async () => {
  expect(await findings()).toEqual({
    'name resolution': { subject: 'name resolution', problem: null, detail: 'tidemark.example.com is 192.0.2.7' },
    server: { subject: 'server', problem: null },
    clock: { subject: 'clock', problem: null, detail: 'within 12 ms' },
  })
})

test('every check type that needs a program is asked whether it is installed', async () => {
  const type = checkTypeOf(async () => passed)
  const checkTypes = [
    { ...type, label: 'Browser', selfTest: async () => 'There is no Chromium.' },
    { ...type, label: 'Ping', selfTest: async () => null },
    { ...type, label: 'Broken', selfTest: () => Promise.reject(new Error('spawn failed')) },
    { ...type, label: 'Plain' },
  ]
  expect(await findings({ checkTypes })).toMatchObject({
    Browser: { problem: 'There is no Chromium.' },
    Ping: { problem: null },
    Broken: { problem: 'spawn failed' },
  })
  expect(await findings({ checkTypes })).not.toHaveProperty('Plain')
})

test('a name that cannot be resolved is reported with the reason', async () => {
  const lookup = () => Promise.reject(Object.assign(new Error('not found'), { code: 'ENOTFOUND' }))
  expect((await findings({ lookup }))['name resolution']?.problem).toBe('tidemark.example.com cannot be resolved (ENOTFOUND).')
})

test('an IPv6 address is resolved without its brackets', async () => {
  const asked: string[] = []
  const lookup = async (hostname: string) => ({ address: asked.push(hostname) ? hostname : '' })
  await findings({ server: new URL('https://[2001:db8::1]:8443'), lookup })
  expect(asked).toEqual(['2001:db8::1'])
})

test('a server that is unreachable, or is not Tidemark, is reported', async () => {
  const away = {
    send: () => Promise.reject(new Unreachable('The server at https://tidemark.example.com cannot be reached (ECONNREFUSED).')),
  }
  expect((await findings({ connection: away })).server?.problem).toContain('ECONNREFUSED')
  expect((await findings({ connection: answering(404) })).server?.problem).toBe('It returned 404 at /health/live, but is not Tidemark.')
  expect((await findings({ connection: answering(200, '<!doctype html>') })).server?.problem).toBe(
    'It returned 200 at /health/live, but is not Tidemark.',
  )
})

test('a wrong clock is reported with its offset and the consequence', async () => {
  const late = { offsetMs: () => 3000, isOff: () => true }
  expect((await findings({ serverTime: late })).clock?.problem).toContain('It is 3000 ms behind that of the server')
  const unknown = { offsetMs: () => null, isOff: () => false }
  expect((await findings({ serverTime: unknown })).clock?.problem).toBe('Could not compare it with the server clock.')
})
