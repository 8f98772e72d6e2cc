import { Agent, type IncomingMessage, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

/** Requests that arrive at a fixed rate regardless of response times: an open model, unlike clients that wait for each response. */
export type Arrivals = {
  readonly name: string
  readonly perSecond: number
  readonly method: 'GET' | 'POST'
  readonly path: string
  /** The requests use these headers in turn. */
  readonly headers: readonly Readonly<Record<string, string>>[]
  /** `{n}` is replaced with the number of the request, in six digits. */
  readonly body?: string
}
export type ArrivalsOrder = { readonly port: number; readonly seconds: number; readonly arrivals: readonly Arrivals[] }

/** Outcomes of the requests with one name. Times are measured from sending to the complete response. */
export type ArrivalsTally = {
  readonly name: string
  sent: number
  /** Requests without any response. */
  broken: number
  /** Responses with status 200 while requests were still arriving. */
  inTime: number
  readonly statuses: Record<number, number>
  /** Rejections without a Retry-After header. */
  unhelpful: number
  readonly okMs: number[]
  readonly refusedMs: number[]
  /** Numbers of the requests with status 200. */
  readonly acknowledged: number[]
}

/** How long to wait for responses after the last request. */
const patienceMs = 20_000

process.on('message', async (order: ArrivalsOrder) => {
  process.send?.(await send(order))
})

async function send({ port, seconds, arrivals }: ArrivalsOrder): Promise<readonly ArrivalsTally[]> {
  const agent = new Agent({ keepAlive: true })
  const began = performance.now()
  const until = began + seconds * 1000
  const pending = new Set<Promise<void>>()
  const lanes = arrivals.map((arrival) => ({ arrival, tally: newTally(arrival.name) }))
  for (let now = began; now < until; now = performance.now()) {
    for (const { arrival, tally } of lanes)
      while (tally.sent < ((now - began) / 1000) * arrival.perSecond) {
        const answer = ask(arrival, tally, { port, agent, until })
        pending.add(answer)
        void answer.then(() => pending.delete(answer))
      }
    await sleep(1)
  }
  await Promise.race([Promise.all(pending), sleep(patienceMs)])
  agent.destroy()
  await Promise.all(pending)
  return lanes.map(({ tally }) => tally)
}

function newTally(name: string): ArrivalsTally {
  return { name, sent: 0, broken: 0, inTime: 0, statuses: {}, unhelpful: 0, okMs: [], refusedMs: [], acknowledged: [] }
}

type Sending = { readonly port: number; readonly agent: Agent; readonly until: number }

function ask({ method, path, headers, body }: Arrivals, tally: ArrivalsTally, { port, agent, until }: Sending): Promise<void> {
  const n = tally.sent++
  const began = performance.now()
  return new Promise((resolve) => {
    const fail = () => {
      tally.broken++
      resolve()
    }
    const sent = request({ host: '127.0.0.1', port, agent, method, path, headers: headers[n % headers.length] }, (answer) => {
      answer.on('end', () => {
        count(answer, tally, { n, tookMs: performance.now() - began, isInTime: performance.now() < until })
        resolve()
      })
      answer.on('error', fail).resume()
    })
    sent.on('error', fail).end(body?.replaceAll('{n}', String(n).padStart(6, '0')))
  })
}

type Answered = { readonly n: number; readonly tookMs: number; readonly isInTime: boolean }

function count({ statusCode = 0, headers }: IncomingMessage, tally: ArrivalsTally, { n, tookMs, isInTime }: Answered): void {
  tally.statuses[statusCode] = (tally.statuses[statusCode] ?? 0) + 1
  if (statusCode === 200) {
    tally.okMs.push(tookMs)
    tally.acknowledged.push(n)
    if (isInTime) tally.inTime++
    return
  }
  tally.refusedMs.push(tookMs)
  if (headers['retry-after'] === undefined) tally.unhelpful++
}
