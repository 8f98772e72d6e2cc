import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { Order, Tally } from './posts.ts'

type Target = { readonly url: string; readonly headers: Readonly<Record<string, string>> }

/** Results per second that the server accepts from a separate client process. Fails if any is rejected. */
export async function postRate({ url, headers }: Target, order: Omit<Order, 'port' | 'headers'>): Promise<number> {
  const client = fork(new URL('./posts.ts', import.meta.url))
  client.send({ ...order, port: Number(new URL(url).port), headers } satisfies Order)
  const [tally] = (await once(client, 'message')) as [Tally]
  client.kill()
  if (tally.refused > 0) throw new Error(`${tally.refused} posts were refused`)
  return tally.rowsPerSecond
}
