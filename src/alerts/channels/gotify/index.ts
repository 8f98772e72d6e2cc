import { Url } from '../../../checks/probe/settings.ts'
import { Type } from '../../../schema/typebox.ts'
import { defineHttpChannel } from '../define.ts'
import { plainFormat } from '../fit.ts'
import { addressOf, below, jsonRequest, urlSecrets } from '../http.ts'
import type { Severity } from '../message.ts'
import { SecretText } from '../settings.ts'
import { bodyText, isOver, messageText } from '../text.ts'

const maxLength = 8000
const priorities: Readonly<Record<Severity, number>> = { critical: 9, error: 8, warning: 5, info: 2 }
const recoveryPriority = 4

export const gotify = defineHttpChannel({
  type: 'gotify',
  label: 'Gotify',
  settings: Type.Object({
    url: Url,
    token: SecretText('the token of an application of Gotify, such as AbCdEf.123'),
    priority: Type.Optional(Type.Integer({ minimum: 0, maximum: 10 })),
  }),
  secrets: ({ token, url }) => [token, ...urlSecrets(url)],
  address: ({ url }) => addressOf(url),
  limits: { perMinute: 60, concurrent: 1 },
  requests(message, { url, token, priority }) {
    const text = messageText(message)
    const click = text.links.at(-1)
    const body = {
      title: `${text.icon} ${text.title}`,
      message: bodyText(text, plainFormat, maxLength),
      priority: isOver(message) ? recoveryPriority : (priority ?? priorities[message.severity]),
      extras: {
        'client::display': { contentType: 'text/plain' },
        ...(click && { 'client::notification': { click: { url: click.url } } }),
      },
    }
    return [jsonRequest(below(url, '/message'), body, { 'X-Gotify-Key': token })]
  },
})
