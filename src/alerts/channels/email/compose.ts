import type { SendMailOptions } from 'nodemailer'
import type { Static } from '../../../schema/typebox.ts'
import { htmlFormat, oneLine, plainFormat } from '../fit.ts'
import type { AlertMessage } from '../message.ts'
import { bodyText, type MessageText, messageText, timeText } from '../text.ts'
import type { EmailSettings } from './settings.ts'

type Settings = Pick<Static<typeof EmailSettings>, 'from' | 'to'>

const maxTextLength = 20_000
const maxHtmlLength = 60_000
const maxSubjectLength = 200
const colors: Readonly<Record<MessageText['tone'], string>> = {
  failure: '#c62828',
  warning: '#e65100',
  info: '#1565c0',
  success: '#2e7d32',
}
const html = { ...htmlFormat, lineBreak: '<br>\n' }

export function composed(message: AlertMessage, { from, to }: Settings, now: number): SendMailOptions {
  const text = messageText(message)
  return {
    from: mailbox(from),
    to: to.map(mailbox),
    subject: subjectOf(message),
    date: new Date(now),
    ...threadOf(message, from),
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
    text: `${text.title}\n\n${bodyText(text, plainFormat, maxTextLength)}\n`,
    html: htmlOf(text),
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}

/** As name and address, since a name may have characters such as a colon, which mean something else in a list of addresses. */
function mailbox(text: string) {
  const [, name = '', address = text] = /^(.*) <([^<>]*)>$/.exec(text) ?? []
  return { name: name.replace(/^"(.*)"$/, '$1'), address }
}

/** Ids are the same for every attempt; later messages reply to the first one of the incident. */
function threadOf({ id, event, incident }: AlertMessage, from: string): Pick<SendMailOptions, 'messageId' | 'inReplyTo' | 'references'> {
  const domain = /@([^\s>]+)>?$/.exec(from)?.[1] ?? 'localhost'
  const first = `<incident-${idText(incident.id)}@${domain}>`
  if (event === 'open') return { messageId: first }
  return { messageId: `<${idText(id)}@${domain}>`, inReplyTo: first, references: [first] }
}

const idText = (id: string) => id.replace(/[^A-Za-z0-9._-]/g, '-').slice(0, 200)

/** Changes as little as possible throughout an incident, since some mail programs thread by subject. */
function subjectOf(message: AlertMessage): string {
  const { event, condition, incident, rule, subjects, subjectCount } = message
  if (event === 'test' || event === 'channelBroken') return oneLine(message.title, maxSubjectLength)
  const [only] = subjects
  const what = only && subjectCount <= 1 ? oneLine(only.name, maxSubjectLength) : `Rule ${rule}`
  return oneLine(
    `${event === 'open' ? '' : 'Re: '}${what}: ${words[condition]} since ${timeText(incident.openedAt)}`,
    maxSubjectLength + 60,
  )
}

const words: Readonly<Record<AlertMessage['condition'], string>> = {
  failing: 'failing',
  degraded: 'degraded',
  certificate: 'certificate expires',
  sloBurn: 'error budget burns',
  silent: 'silent',
  location: 'location fails',
}

function htmlOf(text: MessageText): string {
  const title = `<h2 style="margin:0 0 12px;color:${colors[text.tone]}">${html.text(text.title)}</h2>`
  const body = bodyText(text, html, maxHtmlLength)
  return `<!doctype html><html><body style="font:15px/1.5 sans-serif">${title}<p>${body}</p></body></html>`
}
