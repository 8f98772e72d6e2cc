import { Url } from '../../../checks/probe/settings.ts'
import { Type } from '../../../schema/typebox.ts'
import { defineHttpChannel } from '../define.ts'
import { type Line, withoutMentions } from '../fit.ts'
import { addressOf, jsonRequest, urlSecrets } from '../http.ts'
import { type MessageText, messageText } from '../text.ts'

/** With its title and links, a card stays below the 28 KB that Teams accepts. */
const maxLinesBytes = 14_000
const colors: Readonly<Record<MessageText['tone'], string>> = { failure: 'Attention', warning: 'Warning', info: 'Accent', success: 'Good' }

export const teams = defineHttpChannel({
  type: 'teams',
  label: 'Microsoft Teams',
  settings: Type.Object({ url: Url }),
  secrets: ({ url }) => urlSecrets(url),
  address: ({ url }) => addressOf(url),
  limits: { perMinute: 60, concurrent: 1 },
  requests: (message, { url }) => [jsonRequest(url, { type: 'message', attachments: [attachment(messageText(message))] })],
})

function attachment(text: MessageText) {
  return {
    contentType: 'application/vnd.microsoft.card.adaptive',
    contentUrl: null,
    content: {
      $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
      type: 'AdaptiveCard',
      version: '1.2',
      body: [titleBlock(text), ...fittingBlocks(text.lines)],
      actions: text.links.map(({ label, url }) => ({ type: 'Action.OpenUrl', title: label, url })),
      msteams: { width: 'Full' },
    },
  }
}

/** Text runs, unlike text blocks, are not parsed as markdown. */
function titleBlock({ icon, title, tone }: MessageText) {
  const run = { type: 'TextRun', text: literal(`${icon} ${title}`), weight: 'Bolder', size: 'Medium', color: colors[tone] }
  return { type: 'RichTextBlock', inlines: [run] }
}

function lineBlock(line: Line) {
  const inlines = line.map(({ text, bold, url }) => ({
    type: 'TextRun',
    text: literal(text),
    ...(bold && { weight: 'Bolder' }),
    ...(url !== undefined && { selectAction: { type: 'Action.OpenUrl', url } }),
  }))
  return { type: 'RichTextBlock', inlines, spacing: 'Small' }
}

function fittingBlocks(lines: readonly Line[]) {
  const blocks = lines.map(lineBlock)
  const sizes = blocks.map((block) => Buffer.byteLength(JSON.stringify(block)) + 1)
  let total = 0
  const count = sizes.findIndex((size) => {
    total += size
    return total > maxLinesBytes
  })
  return count === -1 ? blocks : [...blocks.slice(0, count), lineBlock([{ text: '…' }])]
}

/** Defuses functions of cards, such as {{DATE(…)}}. */
function literal(text: string): string {
  return withoutMentions(text).replaceAll('{{', '{\u2060{')
}
