import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { StreamOrder, StreamTally } from './streams.ts'

/** Load on the server during a measurement. */
export type Load = {
  readonly name: string
  /** Returns a function that stops the load. */
  start(): Promise<() => Promise<void>>
}
type Target = { readonly url: string; readonly headers: Readonly<Record<string, string>> }

export const noLoad: Load = { name: '', start: async () => async () => {} }

/** Requests /metrics at this rate. */
export const scrapes = ({ url, headers }: Target, perSecond: number): Load => ({
  name: `, with ${perSecond} scrapes a second`,
  async start() {
    let isStopped = false
    const scrape = async () => {
      for (let due = performance.now(); !isStopped; due += 1000 / perSecond) {
        await new Promise((resolve) => setTimeout(resolve, due - performance.now()))
        const answer = await fetch(`${url}/metrics`, { headers })
        await answer.text()
        if (!answer.ok) throw new Error(`A scrape was answered with ${answer.status}.`)
      }
    }
    const ended = scrape()
    return () => {
      isStopped = true
      return ended
    }
  },
})

/** Keeps a stream of live results open for each of these checks. */
export const streams = ({ url, headers }: Target, what: string, checkIds: readonly string[]): Load => ({
  name: `, with ${checkIds.length} streams of ${what}`,
  async start() {
    const client = fork(new URL('./streams.ts', import.meta.url))
    client.send({ port: Number(new URL(url).port), headers, checkIds } satisfies StreamOrder)
    await once(client, 'message')
    return async () => {
      client.send('stop')
      const [{ bytes, cut }] = (await once(client, 'message')) as [StreamTally]
      client.kill()
      if (cut > 0) throw new Error(`${cut} streams were cut`)
      if (bytes === 0) throw new Error('The streams had no events.')
    }
  },
})
