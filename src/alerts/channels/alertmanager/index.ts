import { strict, Url } from '../../../checks/probe/settings.ts'
import { Type } from '../../../schema/typebox.ts'
import { minuteMs } from '../../../time.ts'
import { defineChannel } from '../define.ts'
import { addressOf, below, jsonRequest, outcomeOf, urlSecrets } from '../http.ts'
import { postedAlerts } from './posted-alerts.ts'
import { sendToAll } from './send-to-all.ts'

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
      return outcomeOf(answer, transport.now())
    })
  },
})
