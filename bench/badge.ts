import { fork } from 'node:child_process'
import { once } from 'node:events'
import autocannon from 'autocannon'
import type { Asked, Servers } from './badge-server.ts'

const rounds = 5
const seconds = 4
const connections = 32

const server = fork(new URL('./badge-server.ts', import.meta.url))
const [{ badges, bare, checkId, bytes }] = (await once(server, 'message')) as [Servers]
const badge = `${badges}/v1/badges/checks/${checkId}`

await measure(bare, 1)
await measure(badge, 1)
const ratios: number[] = []
console.log(`A badge of ${bytes} bytes and a bare route with as many, ${connections} connections, ${seconds} s each in turn:`)
for (let round = 1; round <= rounds; round++) {
  const [plain, ours] = [await measure(bare, seconds), await measure(badge, seconds)]
  ratios.push(ours / plain)
  console.log(`  ${round}. bare ${Math.round(plain)}/s, badge ${Math.round(ours)}/s, ratio ${(ours / plain).toFixed(2)}`)
}
const median = ratios.toSorted((a, b) => a - b)[Math.floor(rounds / 2)] ?? 0
const unknown = await unknownIds(10_000)
console.log(`Median ratio ${median.toFixed(2)} (at least 0.5). 10,000 unknown ids: ${unknown} questions to the store (none).`)
server.send('end')
if (median < 0.5 || unknown > 0) process.exitCode = 1

async function measure(url: string, duration: number): Promise<number> {
  const { requests, non2xx, errors } = await autocannon({ url, connections, duration })
  if (non2xx + errors > 0) throw new Error(`${url}: ${non2xx} answers were not 2xx, ${errors} failed`)
  return requests.average
}

/** How many questions to the store are caused by requests for badges of checks that are not there. */
async function unknownIds(amount: number): Promise<number> {
  const before = await asked()
  let n = 0
  const setupRequest = (request: { path: string }) => ({ ...request, path: `/v1/badges/checks/unknown-${n++}?responseTime=true` })
  const result = await autocannon({ url: badges, connections, amount, requests: [{ setupRequest }] })
  if (result['4xx'] !== amount) throw new Error(`${result['4xx']} of ${amount} answers were 4xx`)
  return (await asked()) - before
}

async function asked(): Promise<number> {
  server.send('asked')
  const [{ questions }] = (await once(server, 'message')) as [Asked]
  return questions
}
