import { strict, Url } from '../../../checks/probe/settings.ts'
import { Type } from '../../../schema/typebox.ts'
import { minuteMs } from '../../../time.ts'
import type { DeliveryOutcome } from '../channel.ts'
import { defineChannel, outcomeWithoutAnswer } from '../define.ts'
import { addressOf, below, deliveryOutcome, jsonRequest, urlSecrets } from '../http.ts'
import { postedAlerts } from './posted-alerts.ts'

const Labels = Type.Record(Type.String({ pattern: '^[a-zA-Z_][a-zA-Z0-9_]{0,100}$' }), Type.String({ maxLength: 200 }), {
  ...strict,
  description: 'labels such as team: shop',
})

export const alertmanager = defineChannel({
  type: 'alertmanager',
  label: 'Prometheus Alertmanager',
  settings: Type.Object({ urls: Type.Array(Url, { minItems: 1, maxItems: 10, uniqueItems: true }), labels: Type.Optional(Labels) }),
  secrets: ({ urls }) => urls.flatMap(urlSecrets),
  address: ({ urls }) => urls.map(addressOf).join(', '),
  limits: { perMinute: 600, concurrent: 4 },
  repeatEveryMs: minuteMs,
  deliver({ message, settings: { urls, labels = {} }, transport, signal }) {
    const alerts = postedAlerts(message, labels, transport.now())
    return sendToAll(urls, async (url) => {
      const answer = await transport.request(jsonRequest(below(url, '/api/v2/alerts'), alerts), signal)
      return deliveryOutcome(answer, transport.now())
    })
  },
})

/**
 * Sends to every address; one success is enough, since the others get the next repetition. Waiting for one that is down would let the alert
 * expire in the others.
 */
async function sendToAll(urls: readonly string[], send: (url: string) => Promise<DeliveryOutcome>): Promise<DeliveryOutcome> {
  const outcomes = await Promise.all(urls.map((url) => send(url).catch(outcomeWithoutAnswer)))
  const answer = urls.map((url, index) => `${addressOf(url)}: ${outcomes[index]?.answer}`).join('; ')
  const best = outcomes.find(({ outcome }) => outcome === 'delivered') ?? outcomes.find(({ outcome }) => outcome === 'retry') ?? outcomes[0]
  if (best?.outcome !== 'retry') return { outcome: best?.outcome ?? 'broken', answer }
  const isUnsent = outcomes.every((each) => each.outcome === 'retry' && each.isUnsent)
  return { outcome: 'retry', answer, afterMs: best.afterMs, ...(isUnsent && { isUnsent }) }
}
