import { Url } from '../../../checks/probe/settings.ts'
import { Type } from '../../../schema/typebox.ts'
import { defineHttpChannel } from '../define.ts'
import { plainFormat, withoutMentions } from '../fit.ts'
import { addressOf, below, jsonRequest, urlSecrets } from '../http.ts'
import { bodyText, messageText } from '../text.ts'

const maxLength = 8000
const format = { ...plainFormat, text: withoutMentions }

export const apprise = defineHttpChannel({
  type: 'apprise',
  label: 'Apprise API',
  settings: Type.Object({
    url: Url,
    key: Type.String({ pattern: '^[A-Za-z0-9_-]{1,128}$', description: 'the key of a configuration stored in the Apprise API' }),
    tag: Type.Optional(
      Type.String({ pattern: '^[\\w, -]{1,200}$', description: 'service tags: commas for any of them, spaces for all of them' }),
    ),
  }),
  secrets: ({ key, url }) => [key, ...urlSecrets(url)],
  address: ({ url }) => addressOf(url),
  limits: { perMinute: 60, concurrent: 1 },
  requests(message, { url, key, tag }) {
    const text = messageText(message)
    const body = {
      title: withoutMentions(`${text.icon} ${text.title}`),
      body: bodyText(text, format, maxLength),
      type: text.tone,
      format: 'text',
      ...(tag !== undefined && { tag }),
    }
    return [jsonRequest(below(url, `/notify/${key}`), body)]
  },
  outcome({ status, body }) {
    if (status === 204) return { outcome: 'broken', answer: '204: the Apprise API has no configuration for this key' }
    return status === 424 ? { outcome: 'retry', answer: `424 ${body}`, afterMs: null } : null
  },
})
