import { expect, test } from 'vitest'
import { soak } from '../../test/support/soak.ts'
import { temporaryStore } from '../../test/support/temporary-store.ts'

const isLong = process.env.SOAK === 'long'
const { checks, forMs } = isLong ? { checks: 200, forMs: 60_000 } : { checks: 100, forMs: 12_000 }

test(
  `${checks} checks every 10 s, for ${forMs / 1000} s: every run due happens once and in time, none overlap, memory is flat`,
  async () => {
    const { store } = await temporaryStore()
    const figures = await soak({ checks, forMs, store })
    if (isLong) console.log(figures)
    expect(figures).toMatchObject({ wrongSlots: 0, overlaps: 0, stored: figures.ran, said: [] })
    expect(figures.latestMs).toBeLessThan(1000)
    expect(figures.heapGrowthBytes).toBeLessThan(8e6)
  },
  forMs + 30_000,
)
