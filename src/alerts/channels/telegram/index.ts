import { Url } from '../../../checks/probe/settings.ts'
import { Type } from '../../../schema/typebox.ts'
import { defineHttpChannel } from '../define.ts'
import { htmlFormat } from '../fit.ts'
import { addressOf, below, jsonRequest, numberIn, urlSecrets } from '../http.ts'
import { chatText, messageText } from '../text.ts'

const maxLength = 4096
const publicServer = 'https://api.telegram.org'

export const telegram = defineHttpChannel({
  type: 'telegram',
  label: 'Telegram',
  settings: Type.Object({
    token: Type.String({
      pattern: '^[0-9]+:[A-Za-z0-9_-]{10,}$',
      description: 'the token of a bot from BotFather, such as 123456:ABC-DEF',
    }),
    chat: Type.Union([Type.Integer(), Type.String({ pattern: '^(-?[0-9]+|@[A-Za-z0-9_]+)$' })], {
      description: 'the id of a chat, such as -1001234567890, or the @name of a channel',
    }),
    thread: Type.Optional(Type.Integer({ minimum: 1 })),
    url: Type.Optional(Url),
  }),
  secrets: ({ token, url }) => [token, ...(url === undefined ? [] : urlSecrets(url))],
  address: ({ chat, url = publicServer }) => `${addressOf(url)} chat ${chat}`,
  limits: { perMinute: 20, concurrent: 1 },
  requests(message, { token, chat, thread, url = publicServer }) {
    const body = {
      chat_id: chat,
      text: chatText(messageText(message), htmlFormat, maxLength),
      parse_mode: 'HTML',
      link_preview_options: { is_disabled: true },
      ...(thread !== undefined && { message_thread_id: thread }),
    }
    return [jsonRequest(below(url, `/bot${token}/sendMessage`), body)]
  },
  retryAfterMs(body) {
    const seconds = numberIn(body, 'parameters', 'retry_after')
    return seconds === null ? null : seconds * 1000
  },
})
