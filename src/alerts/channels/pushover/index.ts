import { Url } from '../../../checks/probe/settings.ts'
import { Type } from '../../../schema/typebox.ts'
import { defineHttpChannel } from '../define.ts'
import { cutAtWord, plainFormat } from '../fit.ts'
import { addressOf, below, urlSecrets } from '../http.ts'
import type { Severity } from '../message.ts'
import { bodyText, isOver, messageText } from '../text.ts'

const maxMessageLength = 1024
const maxTitleLength = 250
const maxUrlLength = 512
const publicServer = 'https://api.pushover.net'
const priorities: Readonly<Record<Severity, number>> = { critical: 1, error: 1, warning: 0, info: -1 }
const emergency = 2
/** An emergency is shown every minute for an hour, or until somebody acknowledges it. */
const untilAcknowledged = { retry: '60', expire: '3600' }
const Key = (owner: string) => Type.String({ pattern: '^[A-Za-z0-9]{30}$', description: `the key of ${owner}: 30 letters and digits` })

export const pushover = defineHttpChannel({
  type: 'pushover',
  label: 'Pushover',
  settings: Type.Object({
    token: Key('an application of Pushover'),
    user: Key('a user or a group of Pushover'),
    device: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9_,-]{1,200}$', description: 'the name of a device' })),
    sound: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9_]{1,50}$', description: 'the name of a sound' })),
    priority: Type.Optional(Type.Integer({ minimum: -2, maximum: 2 })),
    url: Type.Optional(Url),
  }),
  secrets: ({ token, user, url }) => [token, user, ...(url === undefined ? [] : urlSecrets(url))],
  address: ({ url = publicServer }) => addressOf(url),
  limits: { perMinute: 60, concurrent: 2 },
  requests(message, { token, user, device, sound, priority: given, url = publicServer }) {
    const text = messageText(message)
    const priority = isOver(message) ? 0 : (given ?? priorities[message.severity])
    const link = text.links.find((one) => one.url.length <= maxUrlLength)
    const fields = {
      token,
      user,
      title: cutAtWord(`${text.icon} ${text.title}`, maxTitleLength),
      message: bodyText({ ...text, links: [] }, plainFormat, maxMessageLength),
      priority: String(priority),
      timestamp: String(Math.floor(message.decidedAt / 1000)),
      ...(link && { url: link.url, url_title: link.label }),
      ...(device !== undefined && { device }),
      ...(sound !== undefined && { sound }),
      ...(priority === emergency && untilAcknowledged),
    }
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
    return [{ method: 'POST', url: below(url, '/1/messages.json'), headers, body: new URLSearchParams(fields).toString() }]
  },
})
