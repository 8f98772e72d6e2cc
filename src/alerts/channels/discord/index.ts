import { Url } from '../../../checks/probe/settings.ts'
import { Type } from '../../../schema/typebox.ts'
import { isoText } from '../../../time.ts'
import { defineHttpChannel } from '../define.ts'
import { characters, fitted, type TextFormat, withoutMentions } from '../fit.ts'
import { addressOf, jsonRequest, numberIn, urlSecrets } from '../http.ts'
import { bodyText, type MessageText, messageText } from '../text.ts'

const maxTitleLength = 256
const maxDescriptionLength = 4096
const colors: Readonly<Record<MessageText['tone'], number>> = { failure: 0xd32f2f, warning: 0xf57c00, info: 0x1976d2, success: 0x388e3c }

export const discord = defineHttpChannel({
  type: 'discord',
  label: 'Discord',
  settings: Type.Object({
    url: Url,
    threadId: Type.Optional(Type.String({ pattern: '^[0-9]{1,20}$', description: 'the id of a thread: digits, in quotes' })),
  }),
  secrets: ({ url }) => urlSecrets(url),
  address: ({ url }) => addressOf(url),
  limits: { perMinute: 30, concurrent: 1 },
  requests(message, { url, threadId }) {
    const text = messageText(message)
    const embed = {
      title: fitted([[{ text: `${text.icon} ${text.title}` }]], [], markdown, maxTitleLength),
      description: bodyText(text, markdown, maxDescriptionLength),
      color: colors[text.tone],
      timestamp: isoText(message.decidedAt),
    }
    return [jsonRequest(executed(url, threadId), { embeds: [embed], allowed_mentions: { parse: [] } })]
  },
  retryAfterMs: (body) => secondsIn(body),
})

function secondsIn(body: string): number | null {
  const seconds = numberIn(body, 'retry_after')
  return seconds === null ? null : seconds * 1000
}

/** Without `wait`, Discord does not report a message that it could not save. */
function executed(text: string, threadId: string | undefined): string {
  const url = new URL(text)
  url.searchParams.set('wait', 'true')
  if (threadId !== undefined) url.searchParams.set('thread_id', threadId)
  return url.href
}

const markdown: TextFormat = {
  text: (text) => withoutMentions(text).replace(/[\\*_~`|<>[\]()]|^[#-]/g, '\\$&'),
  bold: (text) => `**${text}**`,
  link: (text, url) => `[${text}](${url})`,
  lineBreak: '\n',
  size: characters,
}
