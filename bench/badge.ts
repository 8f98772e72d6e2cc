import { fork } from 'node:child_process'
import { once } from 'node:events'
import autocannon from 'autocannon'
import type { Servers, Usage } from './badge-server.ts'
import { createScorecard, median } from './measure.ts'

const rounds = 9
const seconds = 2
const connections = 32

type Measurement = { readonly perSecond: number; readonly cpuMicros: number }

const server = fork(new URL('./badge-server.ts', import.meta.url))
const [{ badges, bare, checkId, bytes }] = (await once(server, 'message')) as [Servers]
/**
 * Compares requests with a bare route that sends as many bytes. The liveness route does nothing, so it shows the fixed cost of every
 * request.
 */
const compared = [
  { name: 'badge', url: `${badges}/v1/badges/checks/${checkId}`, bare: `${bare}/badge`, wanted: 0.65 },
  { name: '/health/live', url: `${badges}/health/live`, bare: `${bare}/live`, wanted: 0.75 },
]
const { report, reportRatio, finish } = createScorecard()
console.log(`Each and a bare route with as many bytes (badge: ${bytes}), ${connections} connections, ${seconds} s each in turn:`)
for (const { name, url, bare, wanted } of compared) {
  await measure(bare)
  await measure(url)
  const ratios: number[] = []
  for (let round = 1; round <= rounds; round++) {
    const [plain, ours] = [await measure(bare), await measure(url)]
    ratios.push(ours.perSecond / plain.perSecond)
    console.log(`  ${round}. bare ${describe(plain)}; ${name} ${describe(ours)}; ratio ${(ours.perSecond / plain.perSecond).toFixed(2)}`)
  }
  const ratio = median(ratios)
  reportRatio(`${name}: median ratio ${ratio.toFixed(2)}, wanted at least ${wanted}`, {
    name: `${name}, rate of a bare route`,
    ratio,
    bar: wanted,
    better: 'higher',
  })
}
const unknown = await unknownIds(10_000)
report(`10,000 unknown ids: ${unknown} questions to the store, wanted none`, unknown === 0)
server.send('end')
finish()

async function measure(url: string): Promise<Measurement> {
  const before = await usage()
  const { requests, non2xx, errors } = await autocannon({ url, connections, duration: seconds })
  if (non2xx + errors > 0) throw new Error(`${url}: ${non2xx} answers were not 2xx, ${errors} failed`)
  return { perSecond: requests.average, cpuMicros: ((await usage()).cpuMicros - before.cpuMicros) / requests.total }
}

function describe({ perSecond, cpuMicros }: Measurement): string {
  return `${Math.round(perSecond)}/s at ${Math.round(cpuMicros)} µs of processor time`
}

/** Counts the store queries caused by badges of missing checks. */
async function unknownIds(amount: number): Promise<number> {
  const before = await usage()
  let n = 0
  const setupRequest = (request: { path: string }) => ({ ...request, path: `/v1/badges/checks/unknown-${n++}?responseTime=true` })
  const result = await autocannon({ url: badges, connections, amount, requests: [{ setupRequest }] })
  if (result['4xx'] !== amount) throw new Error(`${result['4xx']} of ${amount} answers were 4xx`)
  return (await usage()).queries - before.queries
}

async function usage(): Promise<Usage> {
  server.send('usage')
  const [answer] = (await once(server, 'message')) as [Usage]
  return answer
}
