import type { DeliveryOutcome } from '../channel.ts'
import { outcomeWithoutAnswer } from '../define.ts'
import { addressOf } from '../http.ts'

/**
 * Sends to every address. It is delivered where one of them took it: the others are sent the next repetition, and a wait for one that
 * is gone would let the alert expire in those that are there.
 */
export async function sendToAll(urls: readonly string[], send: (url: string) => Promise<DeliveryOutcome>): Promise<DeliveryOutcome> {
  const outcomes = await Promise.all(urls.map((url) => send(url).catch(outcomeWithoutAnswer)))
  const answer = urls.map((url, index) => `${addressOf(url)}: ${outcomes[index]?.answer}`).join('; ')
  const best = outcomes.find(({ outcome }) => outcome === 'delivered') ?? outcomes.find(({ outcome }) => outcome === 'retry') ?? outcomes[0]
  if (best?.outcome !== 'retry') return { outcome: best?.outcome ?? 'broken', answer }
  const isUnsent = outcomes.every((each) => each.outcome === 'retry' && each.isUnsent)
  return { outcome: 'retry', answer, afterMs: best.afterMs, ...(isUnsent && { isUnsent }) }
}
