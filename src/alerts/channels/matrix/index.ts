import { Url } from '../../../checks/probe/settings.ts'
import { Type } from '../../../schema/typebox.ts'
import { percentEncoded } from '../../../text/percent-encoded.ts'
import { defineHttpChannel } from '../define.ts'
import { htmlFormat, jsonBytes, plainFormat, withoutMentions } from '../fit.ts'
import { addressOf, below, numberIn, urlSecrets } from '../http.ts'
import { SecretText } from '../settings.ts'
import { chatText, messageText } from '../text.ts'

/** Both texts together stay well below the 64 KiB of an event. */
const maxBodyBytes = 16_000
const maxHtmlBytes = 32_000
const plain = { ...plainFormat, text: withoutMentions, size: jsonBytes }
const html = { ...htmlFormat, lineBreak: '<br>', size: jsonBytes }

export const matrix = defineHttpChannel({
  type: 'matrix',
  label: 'Matrix',
  settings: Type.Object({
    url: Url,
    room: Type.String({ pattern: '^![^\\s]{1,254}$', description: 'the id of a room, such as !abcdef:example.org, in quotes' }),
    token: SecretText('the access token of the sending user'),
  }),
  secrets: ({ token, url }) => [token, ...urlSecrets(url)],
  address: ({ url, room }) => `${addressOf(url)} room ${room}`,
  limits: { perMinute: 30, concurrent: 1 },
  requests(message, { url, room, token }) {
    const text = messageText(message)
    const body = {
      msgtype: 'm.text',
      body: chatText(text, plain, maxBodyBytes),
      format: 'org.matrix.custom.html',
      formatted_body: chatText(text, html, maxHtmlBytes),
      'm.mentions': {},
    }
    const path = `/_matrix/client/v3/rooms/${percentEncoded(room)}/send/m.room.message/${encodeURIComponent(message.id)}`
    const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` }
    return [{ method: 'PUT', url: below(url, path), headers, body: JSON.stringify(body) }]
  },
  retryAfterMs: (body) => numberIn(body, 'retry_after_ms'),
})
