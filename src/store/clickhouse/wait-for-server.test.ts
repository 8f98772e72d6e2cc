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
const warnings: string[] = []
const options = { waitMs: 60_000, warn: (problem: string) => void warnings.push(problem), server: 'http://db:8123', retryMs: 1 }

test('a start waits for an unreachable server, with a single log message', async () => {
  expect(await waitForServer(failing([refused, refused]), options)).toBe('there')
  expect(warnings).toEqual(['ClickHouse at http://db:8123 cannot be used yet. Trying again for 60 s.'])
})

test.each(['EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN', 'ENOTFOUND', 'EAI_AGAIN'])(
  'a host that is down (%s) is awaited, and another server is used meanwhile',
  async (code) => {
    const gone = Object.assign(new Error('connect'), { code })
    expect(await waitForServer(failing([gone]), options)).toBe('there')
    expect(isLostConnection(gone)).toBe(true)
  },
)

test.each(['225', '242', '999', '279'])('a server that is up before its Keeper or its cluster (%s) is awaited', async (code) => {
  const cutOff = Object.assign(new Error('No ZooKeeper session'), { code })
  expect(await waitForServer(failing([cutOff]), options)).toBe('there')
})

test('waiting ends with the last failure after its time, and at once if it cannot help', async () => {
  await expect(waitForServer(failing([refused]), { ...options, waitMs: 0 })).rejects.toBe(refused)
  const password = Object.assign(new Error('wrong password'), { code: '516' })
  await expect(waitForServer(failing([password]), options)).rejects.toBe(password)
})
