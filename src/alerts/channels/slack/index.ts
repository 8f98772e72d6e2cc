import { Url } from '../../../checks/probe/settings.ts'
import { Type } from '../../../schema/typebox.ts'
import { defineHttpChannel } from '../define.ts'
import { characters, type TextFormat, withoutMentions } from '../fit.ts'
import { addressOf, jsonRequest, urlSecrets } from '../http.ts'
import { chatText, messageText } from '../text.ts'

const maxSectionLength = 3000
const maxFallbackLength = 300

export const slack = defineHttpChannel({
  type: 'slack',
  label: 'Slack',
  settings: Type.Object({ url: Url }),
  secrets: ({ url }) => urlSecrets(url),
  address: ({ url }) => addressOf(url),
  limits: { perMinute: 60, concurrent: 1 },
  requests(message, { url }) {
    const text = messageText(message)
    const section = { type: 'mrkdwn', text: chatText(text, mrkdwn, maxSectionLength), verbatim: true }
    const fallback = chatText({ ...text, lines: [], links: [] }, mrkdwn, maxFallbackLength)
    return [jsonRequest(url, { text: fallback, blocks: [{ type: 'section', text: section }] })]
  },
})

/** Slack's markup cannot escape its formatting characters, so look-alikes replace them. */
const lookAlikes: Readonly<Record<string, string>> = { '*': '∗', '`': 'ˋ', '~': '∼', '&': '&amp;', '<': '&lt;', '>': '&gt;' }

const mrkdwn: TextFormat = {
  text: (text) => withoutMentions(text).replace(/[*`~&<>]/g, (character) => lookAlikes[character] ?? character),
  bold: (text) => `*${text}*`,
  link: (text, url) => `<${url.replaceAll('&', '&amp;')}|${text}>`,
  lineBreak: '\n',
  size: characters,
}
