import { expect, test } from 'vitest'
import { isLostConnection } from './server-errors.ts'
import { waitForServer } from './wait-for-server.ts'

const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })

/** Fails with each of these errors, then succeeds. */
const failing = (errors: readonly Error[]) => {
  const left = [...errors]
  return async () => {
    const error = left.shift()
    if (error) throw error
    return 'there'
  }
}
const told: string[] = []
const options = { waitMs: 60_000, warn: (problem: string) => void told.push(problem), server: 'http://db:8123', retryMs: 1 }

test('a start waits for a server that cannot be reached yet, and tells so once', async () => {
  expect(await waitForServer(failing([refused, refused]), options)).toBe('there')
  expect(told).toEqual(['ClickHouse at http://db:8123 cannot be used yet. Trying again for 60 s.'])
})

test.each(['EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN', 'ENOTFOUND', 'EAI_AGAIN'])(
  'a machine that is gone (%s) is waited for, and another server is asked meanwhile',
  async (code) => {
    const gone = Object.assign(new Error('connect'), { code })
    expect(await waitForServer(failing([gone]), options)).toBe('there')
    expect(isLostConnection(gone)).toBe(true)
  },
)

test.each(['225', '242', '999', '279'])(
  'a server that is there before its Keeper or the others of its cluster (%s) is waited for',
  async (code) => {
    const cutOff = Object.assign(new Error('No ZooKeeper session'), { code })
    expect(await waitForServer(failing([cutOff]), options)).toBe('there')
  },
)

test('it ends with the last failure when its time is over, and at once where waiting does not help', async () => {
  await expect(waitForServer(failing([refused]), { ...options, waitMs: 0 })).rejects.toBe(refused)
  const password = Object.assign(new Error('wrong password'), { code: '516' })
  await expect(waitForServer(failing([password]), options)).rejects.toBe(password)
})
