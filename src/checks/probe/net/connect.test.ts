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

describe('several addresses', () => {
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

test('nothing is started after the timeout', async () => {
  const over = runContext({ signal: AbortSignal.abort() })
  await expect(connectFirst(['127.0.0.1'], 9, over)).rejects.toThrow()
  await expect(resolve({ hostname: 'localhost' }, over)).rejects.toThrow()
})
