import { Url } from '../../../checks/probe/settings.ts'
import { Type } from '../../../schema/typebox.ts'
import { isoText } from '../../../time.ts'
import { defineHttpChannel } from '../define.ts'
import { cutAtWord, oneLine, plainFormat } from '../fit.ts'
import { addressOf, below, jsonRequest, urlSecrets } from '../http.ts'
import type { AlertMessage } from '../message.ts'
import { bodyText, isOver, messageText } from '../text.ts'

const maxSummaryLength = 1024
const maxDetailsLength = 8000
const servers = { us: 'https://events.pagerduty.com', eu: 'https://events.eu.pagerduty.com' } as const

export const pagerduty = defineHttpChannel({
  type: 'pagerduty',
  label: 'PagerDuty',
  settings: Type.Object({
    routingKey: Type.String({ pattern: '^[A-Za-z0-9]{32}$', description: 'the integration key of Events API v2: 32 letters and digits' }),
    region: Type.Optional(Type.Enum(['us', 'eu'])),
    url: Type.Optional(Url),
  }),
  secrets: ({ routingKey, url }) => [routingKey, ...(url === undefined ? [] : urlSecrets(url))],
  address: ({ region = 'us', url = servers[region] }) => addressOf(url),
  limits: { perMinute: 120, concurrent: 2 },
  requests(message, { routingKey, region = 'us', url = servers[region] }) {
    const common = { routing_key: routingKey, dedup_key: message.incident.id }
    const [trigger, resolve] = [
      { ...common, event_action: 'trigger', ...triggered(message) },
      { ...common, event_action: 'resolve' },
    ]
    // A missed incident is already over: trigger it for the record, and resolve it at once.
    const events = message.event === 'missed' ? [trigger, resolve] : [isOver(message) ? resolve : trigger]
    return events.map((event) => jsonRequest(below(url, '/v2/enqueue'), event))
  },
})

function triggered(message: AlertMessage) {
  const text = messageText(message)
  const [subject] = message.subjects
  return {
    client: 'Tidemark',
    ...(message.links.incident !== null && { client_url: message.links.incident }),
    links: text.links.map(({ label, url }) => ({ href: url, text: label })),
    payload: {
      summary: cutAtWord(text.title, maxSummaryLength) || 'Alert of Tidemark',
      source: oneLine(subject?.name ?? message.account.name, 255) || 'Tidemark',
      severity: message.event === 'missed' || message.event === 'test' ? 'info' : message.severity,
      timestamp: isoText(message.incident.openedAt),
      component: message.rule,
      group: oneLine(message.account.name, 255),
      class: message.condition,
      custom_details: { text: bodyText({ ...text, links: [] }, plainFormat, maxDetailsLength), subjects: message.subjectCount },
    },
  }
}
