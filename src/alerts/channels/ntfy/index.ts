import { Url } from '../../../checks/probe/settings.ts'
import { Type } from '../../../schema/typebox.ts'
import { defineHttpChannel } from '../define.ts'
import { cutAtWord, jsonBytes, plainFormat } from '../fit.ts'
import { addressOf, jsonRequest, urlSecrets } from '../http.ts'
import type { Severity } from '../message.ts'
import { SecretText } from '../settings.ts'
import { bodyText, isOver, type MessageText, messageText } from '../text.ts'

/** A longer one becomes an attachment. */
const maxMessageBytes = 4096
/** The server reads no more than 8 KiB of JSON. */
const maxTitleBytes = 500
const maxUrlLength = 500
const maxActions = 3
const publicServer = 'https://ntfy.sh'
const priorities: Readonly<Record<Severity, number>> = { critical: 5, error: 4, warning: 3, info: 2 }
const tags: Readonly<Record<MessageText['tone'], string>> = {
  failure: 'red_circle',
  warning: 'orange_circle',
  info: 'large_blue_circle',
  success: 'white_check_mark',
}

export const ntfy = defineHttpChannel({
  type: 'ntfy',
  label: 'ntfy',
  settings: Type.Object({
    topic: Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$', description: 'a topic of 1 to 64 characters from A-Z, a-z, 0-9, _ and -' }),
    url: Type.Optional(Url),
    token: Type.Optional(SecretText('an access token such as tk_…')),
    priority: Type.Optional(Type.Integer({ minimum: 1, maximum: 5 })),
  }),
  // Anyone who knows a topic can read it.
  secrets: ({ topic, token, url }) => [topic, ...(token === undefined ? [] : [token]), ...(url === undefined ? [] : urlSecrets(url))],
  address: ({ url = publicServer }) => addressOf(url),
  limits: { perMinute: 12, concurrent: 1 },
  requests(message, { topic, url = publicServer, token, priority }) {
    const text = messageText(message)
    const links = text.links.filter((link) => link.url.length <= maxUrlLength)
    const body = {
      topic,
      title: cutAtWord(text.title, maxTitleBytes, jsonBytes),
      message: bodyText({ ...text, links: [] }, { ...plainFormat, size: jsonBytes }, maxMessageBytes),
      tags: [tags[text.tone]],
      priority: isOver(message) ? 3 : (priority ?? priorities[message.severity]),
      ...(links[0] && { click: links.at(-1)?.url }),
      actions: links.slice(0, maxActions).map((link) => ({ action: 'view', label: link.label, url: link.url })),
    }
    return [jsonRequest(url, body, token === undefined ? {} : { Authorization: `Bearer ${token}` })]
  },
})
