import { openClient } from './client.ts'
import { atFraction, timed } from './measure.ts'

const probes = 500
const pauseMs = 5

/** The p99 of `/health/live`, in milliseconds, while `query` runs in a loop. */
export async function livenessBeside(url: string, query: () => Promise<unknown>): Promise<number> {
  const prober = openClient(url, {})
  let over = false
  const querying = (async () => {
    while (!over) await query()
  })()
  const took: number[] = []
  for (let i = 0; i < probes; i++) {
    took.push(await timed(() => prober.get('/health/live')))
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
  over = true
  await querying
  prober.close()
  return atFraction(took, 0.99)
}
