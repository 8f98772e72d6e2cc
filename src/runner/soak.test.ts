// @slow alone
import { expect, test } from 'vitest'
import { soak } from '../../test/support/soak.ts'
import { temporaryStore } from '../../test/support/temporary-store.ts'

const isLong = process.env.SOAK === 'long'

test('100 checks every 10 s for 12 s: no run overlaps or is repeated, and each is stored', { timeout: 60_000 }, async () => {
  const { store } = await temporaryStore()
  const figures = await soak({ checks: 100, forMs: 12_000, store })
  expect(figures).toMatchObject({ doubledSlots: 0, overlaps: 0, stored: figures.ran, said: [] })
  expect(figures.ran).toBeGreaterThan(0)
})

test.runIf(isLong)(
  '200 checks for 60 s: every run due happens within a second of its slot, and memory is flat',
  { timeout: 120_000 },
  async () => {
    const { store } = await temporaryStore()
    const figures = await soak({ checks: 200, forMs: 60_000, store })
    console.log(figures)
    expect(figures).toMatchObject({ emptySlots: 0, doubledSlots: 0, overlaps: 0, stored: figures.ran, said: [] })
    expect(figures.latestMs).toBeLessThan(1000)
    expect(figures.heapGrowthBytes).toBeLessThan(8e6)
  },
)
