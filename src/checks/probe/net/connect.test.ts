import { describe, expect, test } from 'vitest'
import { runContext } from '../../../../test/support/run-context.ts'
import { closedPort, tcpServer } from '../../../../test/support/servers.ts'
import { addressPolicy } from './addresses.ts'
import { connectFirst, literalAddress, resolve } from './connect.ts'

test.each([
  ['127.0.0.1', '127.0.0.1'],
  ['::1', '::1'],
  ['[::1]', '::1'],
  ['localhost', null],
  ['1.2.3', null],
])('the address in %s is %s', (hostname, address) => {
  expect(literalAddress(hostname)).toBe(address)
})

describe('with several addresses', () => {
  test('the next address is tried if one refuses the connection', async () => {
    const port = await tcpServer(() => {}, '127.0.0.1')
    const socket = await connectFirst(['::1', '127.0.0.1'], port, runContext())
    expect(socket.remoteAddress).toBe('127.0.0.1')
    socket.destroy()
  })

  test('if all refuse the connection, the error of the first is reported', async () => {
    const port = await closedPort()
    await expect(connectFirst(['127.0.0.1', '::1'], port, runContext())).rejects.toMatchObject({
      code: 'ECONNREFUSED',
      address: '127.0.0.1',
    })
  })

  test('denied addresses are skipped', async () => {
    const admit = addressPolicy({ allow: [], deny: ['::1'] })
    expect(await resolve({ hostname: 'localhost' }, runContext({ admit }))).toEqual(['127.0.0.1'])
  })
})

test('nothing is started after an abort', async () => {
  const over = runContext({ signal: AbortSignal.abort() })
  await expect(connectFirst(['127.0.0.1'], 9, over)).rejects.toThrow()
  await expect(resolve({ hostname: 'localhost' }, over)).rejects.toThrow()
})

describe('a failed lookup', () => {
  const fault = (code: string | null, more: object = {}) => {
    const lookup = () => Promise.reject(code === null ? new Error('odd') : Object.assign(new Error('no'), { code }))
    return resolve({ hostname: 'shop.test', ...more }, runContext({ lookup })).catch(({ name, message }: Error) => [name, message])
  }
  test.each([
    ['ENOTFOUND', {}, 'no IP address found for shop.test'],
    ['ENOTFOUND', { ipFamily: 'IPv6' }, 'no IPv6 address found for shop.test'],
    ['EAI_AGAIN', {}, 'the name server did not answer for shop.test'],
  ])('has a message of its own for %s %o', async (code, more, message) => {
    expect(await fault(code, more)).toEqual(['ProbeFault', message])
  })
  test('for another reason is passed on', async () => {
    expect([await fault('EOTHER'), await fault(null)]).toEqual([
      ['Error', 'no'],
      ['Error', 'odd'],
    ])
  })
})

test.each([
  ['127.0.0.1', 'IPv6', '127.0.0.1 is not an IPv6 address'],
  ['[::1]', 'IPv4', '::1 is not an IPv4 address'],
  ['-a', undefined, '"-a" is not a hostname'],
  ['a b', undefined, '"a b" is not a hostname'],
  ['', undefined, '"" is not a hostname'],
  ['a'.repeat(254), undefined, `"${'a'.repeat(254)}" is not a hostname`],
] as const)('the host %.20s with family %s is rejected', async (hostname, ipFamily, message) => {
  await expect(resolve({ hostname, ipFamily }, runContext())).rejects.toThrow(message)
})

test.each([
  [undefined, 0],
  ['IPv4', 4],
  ['IPv6', 6],
] as const)('addresses of the family %s are looked up', async (ipFamily, family) => {
  const asked: unknown[] = []
  const lookup = async (...given: readonly unknown[]) => {
    asked.push(given)
    return ['192.0.2.1', '192.0.2.2']
  }
  expect(await resolve({ hostname: 'büro.test', ipFamily }, runContext({ lookup }))).toEqual(['192.0.2.1', '192.0.2.2'])
  expect(asked).toEqual([['büro.test', family]])
})
