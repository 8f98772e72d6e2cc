import { expect, test } from 'vitest'
import type { Connection } from './connection.ts'
import { createReadiness } from './readiness.ts'

test('concurrent readiness checks share one statement', async () => {
  let asked = 0
  let isReachable = true
  const connection = {
    async rows() {
      asked++
      await new Promise((resolve) => setImmediate(resolve))
      if (!isReachable) throw new Error('the server is gone')
      return []
    },
  } as unknown as Connection
  const { isReady } = createReadiness({
    connection,
    place: { database: 'tidemark', cluster: null },
    metrics: { values: [], pageValues: [] },
    shardsOf: async (checks) => checks.map(() => 0),
    settings: {},
    clock: Date.now,
    log: () => {},
  })
  const askAtOnce = async () => new Set(await Promise.all(Array.from({ length: 50 }, isReady)))
  expect([await askAtOnce(), asked]).toEqual([new Set([true]), 1])
  isReachable = false
  expect([await askAtOnce(), asked]).toEqual([new Set([false]), 2])
})
