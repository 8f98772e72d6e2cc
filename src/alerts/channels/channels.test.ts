import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  answers,
  channelReceiver,
  httpSettings,
  noon,
  type ReceivedRequest,
  type Reply,
  testTransport,
} from '../../../test/support/channels.ts'
import { closedPort } from '../../../test/support/servers.ts'
import { Check } from '../../schema/typebox.ts'
import { dayMs } from '../../time.ts'
import type { ChannelType } from './channel.ts'
import { exampleMessage } from './example-message.ts'
import type { AlertEvent, AlertMessage } from './message.ts'
import { channelTypes } from './registry.ts'
import type { ChannelTransportOptions } from './transport.ts'

const httpTypes = channelTypes.filter(({ type }) => type !== 'email')
const events: readonly AlertEvent[] = ['open', 'update', 'reminder', 'close', 'missed', 'flapping', 'settled', 'test', 'channelBroken']
const never = new AbortController().signal
const later = [
  ['reminder', 'error'],
  ['flapping', 'warning'],
  ['close', 'critical'],
  ['test', 'info'],
] as const

const opened: AlertMessage = {
  ...exampleMessage('open', { id: 'msg-1', now: noon }),
  links: { incident: 'https://tidemark.example/alerts/1', acknowledge: 'https://tidemark.example/ack?a=1&b=2' },
}

async function delivered(channelType: ChannelType, message: AlertMessage, reply: Reply, options: Partial<ChannelTransportOptions> = {}) {
  const { url, received } = await channelReceiver(reply)
  const settings = settingsOf(channelType, url)
  const outcome = await channelType.deliver(message, settings, testTransport(options), never)
  return { outcome, received }
}

function settingsOf({ type, settings: schema }: ChannelType, url: string) {
  const settings = httpSettings[type]?.(url)
  if (settings === undefined) throw new Error(`test/support/channels.ts has no settings of ${type}`)
  expect(Check(schema, settings)).toBe(true)
  return settings
}

describe.each(httpTypes)('$type', (channelType) => {
  test('sends this request', async () => {
    const { received, outcome } = await delivered(channelType, opened, answers(200))
    expect(outcome.outcome).toBe('delivered')
    await expect(`${JSON.stringify(received.map(readable), null, 2)}\n`).toMatchFileSnapshot(`${golden}/${channelType.type}.json`)
  })

  test('sends these requests while an incident is open and when it is closed', async () => {
    const requests: unknown[] = []
    for (const [event, severity] of later) {
      const message = { ...exampleMessage(event, { id: `msg-${event}`, now: noon }), severity, links: opened.links }
      const { received } = await delivered(channelType, message, answers(200))
      requests.push({ event, severity, received: received.map(readable) })
    }
    await expect(`${JSON.stringify(requests, null, 2)}\n`).toMatchFileSnapshot(`${golden}/${channelType.type}-later.json`)
  })

  test.each(events)('has a message for the event %s', async (event) => {
    const { received, outcome } = await delivered(channelType, exampleMessage(event, { id: 'msg-2', now: noon }), answers(200))
    expect(outcome.outcome).toBe('delivered')
    expect(received.length).toBeGreaterThan(0)
  })

  test('respects Retry-After, in seconds or as a date, up to a day', async () => {
    const retryAfter = async (text: string) =>
      (await delivered(channelType, opened, answers(429, { headers: { 'retry-after': text } }))).outcome
    expect(await retryAfter('7')).toMatchObject({ outcome: 'retry', afterMs: 7000 })
    expect(await retryAfter(new Date(noon + 90_000).toUTCString())).toMatchObject({ outcome: 'retry', afterMs: 90_000 })
    expect(await retryAfter('999999999')).toMatchObject({ outcome: 'retry', afterMs: dayMs })
    expect(await retryAfter('soon')).toMatchObject({ outcome: 'retry', afterMs: null })
  })

  test.each([408, 425, 429, 500, 502, 503, 504])('retries after %i', async (status) => {
    const { outcome } = await delivered(channelType, opened, answers(status, { body: 'busy' }))
    expect(outcome).toMatchObject({ outcome: 'retry', afterMs: null, answer: expect.stringContaining(`${status} busy`) })
  })

  test.each([400, 401, 403, 404, 410, 413, 301, 302, 307])('is broken after %i', async (status) => {
    const { outcome, received } = await delivered(channelType, opened, answers(status, { headers: { location: '/elsewhere' }, body: 'no' }))
    expect(outcome).toMatchObject({ outcome: 'broken', answer: expect.stringContaining(`${status} no`) })
    expect(received).toHaveLength(1)
  })

  test('retries if the connection is reset or refused, or the request times out', async () => {
    const reset = await delivered(channelType, opened, (answer) => answer.socket?.resetAndDestroy())
    expect(reset.outcome).toMatchObject({ outcome: 'retry', afterMs: null, answer: expect.stringContaining('connection') })
    const silent = await delivered(channelType, opened, () => {}, { timeoutMs: 50 })
    expect(silent.outcome).toMatchObject({ outcome: 'retry', answer: expect.stringContaining('no answer within 50 ms') })
    const settings = settingsOf(channelType, `http://127.0.0.1:${await closedPort()}`)
    const refused = await channelType.deliver(opened, settings, testTransport(), never)
    expect(refused).toMatchObject({ outcome: 'retry', answer: expect.stringContaining('connection refused') })
  })

  test('is broken if the address policy denies its address, also behind a name', async () => {
    const denied = await delivered(channelType, opened, answers(200), { addresses: { allow: [], deny: ['127.0.0.0/8'] } })
    expect(denied.outcome).toMatchObject({ outcome: 'broken', answer: expect.stringContaining('denied by the address policy of checks') })
    expect(denied.received).toEqual([])
    const settings = settingsOf(channelType, 'http://rebind.test:1')
    const named = await channelType.deliver(opened, settings, testTransport({ lookup: async () => ['169.254.169.254'] }), never)
    expect(named).toMatchObject({ outcome: 'broken', answer: expect.stringContaining('169.254.169.254') })
  })

  test('redacts the secrets of its address in responses, in whatever form they echo the request', async () => {
    const { outcome } = await delivered(channelType, opened, (answer, request) => {
      const echo = `${request.url} ${decodeURIComponent(request.url ?? '')} ${JSON.stringify(request.headers)}`
      answer.writeHead(404).end(echo)
    })
    expect(outcome.answer).not.toContain('S3CRET')
    expect(outcome.answer.length).toBeLessThanOrEqual(500)
    const settings = settingsOf(channelType, 'https://receiver.example')
    expect(channelType.address(settings)).not.toContain('S3CRET')
    expect(channelType.secrets(settings).length).toBeGreaterThanOrEqual(channelType.type === 'alertmanager' ? 0 : 1)
  })

  test('reads no more of a response than it shows', async () => {
    const { outcome } = await delivered(channelType, opened, answers(500, { body: 'x'.repeat(1_000_000) }))
    expect(outcome.answer.length).toBeLessThanOrEqual(500)
  })

  test('handles hostile texts: within its limits, valid, and without mentions', async () => {
    const { url, received } = await channelReceiver(answers(200))
    const settings = settingsOf(channelType, url)
    await fc.assert(
      fc.asyncProperty(hostileMessage, async (message) => {
        received.length = 0
        const outcome = await channelType.deliver(message, settings, testTransport(), never)
        expect(outcome.outcome).toBe('delivered')
        for (const request of received) expectHarmless(channelType.type, request)
      }),
      { numRuns: 25 },
    )
  })
})

test('Discord, Telegram and Matrix state the retry delay in their responses', async () => {
  const asked: Readonly<Record<string, [body: unknown, ms: number]>> = {
    discord: [{ message: 'You are being rate limited.', retry_after: 1.25, global: false }, 1250],
    telegram: [{ ok: false, error_code: 429, parameters: { retry_after: 9 } }, 9000],
    matrix: [{ errcode: 'M_LIMIT_EXCEEDED', retry_after_ms: 2500 }, 2500],
  }
  for (const channelType of httpTypes.filter(({ type }) => asked[type])) {
    const [body, afterMs] = asked[channelType.type] ?? []
    const { outcome } = await delivered(channelType, opened, answers(429, { body: JSON.stringify(body) }))
    expect(outcome).toMatchObject({ outcome: 'retry', afterMs })
  }
})

test.each([
  [200, 'delivered', '200 said'],
  [204, 'broken', '204: the Apprise API has no configuration for this key'],
  [424, 'retry', '424 said'],
] as const)('the Apprise API responds with %i if a message is %s', async (status, outcome, answer) => {
  const apprise = httpTypes.find(({ type }) => type === 'apprise')
  if (!apprise) throw new Error('there is no such type')
  const found = await delivered(apprise, opened, answers(status, status === 204 ? {} : { body: 'said' }))
  expect(found.outcome).toMatchObject({ outcome, answer })
})

test('the declaration of each type: its label, limits and settings', async () => {
  const lines = channelTypes.flatMap(({ type, label, limits, repeatEveryMs, settings }) => [
    `${type} ${JSON.stringify({ label, limits, repeatEveryMs, required: settings.required })}`,
    ...Object.entries(settings.properties).map(([name, setting]) => `  ${name} ${JSON.stringify(setting)}`),
  ])
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(`${golden}/declared.txt`)
})

test('names and labels of types are unique', () => {
  expect(new Set(channelTypes.map(({ type }) => type)).size).toBe(channelTypes.length)
  expect(new Set(channelTypes.map(({ label }) => label)).size).toBe(channelTypes.length)
})

const golden = '../../../test/golden/channels'

/** Parses a body of JSON or a form, so that the golden file is readable. */
function readable({ body, ...request }: ReceivedRequest) {
  if (request.headers['content-type'] === 'application/json') return { ...request, body: JSON.parse(body) }
  return { ...request, body: Object.fromEntries(new URLSearchParams(body)) }
}

const hostileText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.constantFrom(
    '<!channel> <!here> <@U123> @channel @here',
    '@everyone @here <@123> <@&456> @room @user',
    '</b><script>alert(1)</script><a href="tg://user?id=1">x</a><at>Everyone</at>',
    '*bold* _it_ ~st~ `code` ```block``` [x](http://evil) ||spoiler|| # h\n> q',
    'line\r\nBcc: victim@example.com\r\n\r\nbody\0',
    '\u202etxt.exe\u2066\u200b{{DATE(2026-01-01)}} $x "}]}\\',
    '👩‍👩‍👧‍👦'.repeat(2000),
    'é'.repeat(1_000_000),
    '"\\'.repeat(20_000),
    ' ',
    '',
  ),
)
const hostileSubject = fc.record({
  name: hostileText,
  check: fc.option(fc.record({ id: fc.constant('shop'), type: fc.constant('x'), tags: fc.array(hostileText, { maxLength: 3 }) })),
  isNew: fc.boolean(),
  since: fc.constant(noon - 60_000),
  until: fc.option(fc.constant(noon)),
  reason: fc.option(hostileText),
  locations: fc.option(fc.record({ down: fc.array(hostileText, { maxLength: 30 }), known: fc.nat(5) })),
  result: fc.constant(null),
  certificateDays: fc.option(fc.integer({ min: -5, max: 30 })),
  dependents: fc.array(hostileText, { maxLength: 30 }),
  links: fc.record({
    check: fc.constantFrom(null, 'https://tidemark.example/a b|c>d)"e'),
    run: fc.constantFrom(null, 'javascript:alert(1)', `https://tidemark.example/${'x'.repeat(5000)}`),
  }),
})
const hostileMessage: fc.Arbitrary<AlertMessage> = fc
  .record({
    event: fc.constantFrom(...events),
    title: hostileText,
    rule: fc.constant('rule'),
    account: fc.record({ id: fc.constant('main'), name: hostileText }),
    subjects: fc.array(hostileSubject, { maxLength: 20 }),
    more: fc.nat(1000),
    severity: fc.constantFrom('critical' as const, 'error' as const, 'warning' as const, 'info' as const),
    links: fc.record({
      incident: fc.constantFrom(null, 'https://tidemark.example/?a=<b>&c'),
      acknowledge: fc.constantFrom(null, 'https://x.example/ack'),
    }),
  })
  .map(({ more, ...given }) => ({
    ...exampleMessage('open', { id: 'msg-3', now: noon }),
    ...given,
    subjectCount: given.subjects.length + more,
  }))

const maxBytes: Readonly<Record<string, number>> = { ntfy: 8192, teams: 28_000, matrix: 65_536, webhook: 20_000, pagerduty: 512_000 }

function expectHarmless(type: string, request: ReceivedRequest): void {
  expect(Buffer.byteLength(request.body)).toBeLessThanOrEqual(maxBytes[type] ?? 200_000)
  expect(request.body).not.toMatch(/\u202e|\u2066/)
  const { body } = readable(request) as unknown as { body: never }
  harmless[type]?.(body)
}

const atWordStart = /(?<![\p{L}\p{N}_.+-])@[\p{L}\p{N}_]/u
const noMention = (text: string) => expect(text).not.toMatch(atWordStart)
const balancedHtml = (html: string) => {
  const withoutOurs = html.replace(/<br>|<b>[^<>]*<\/b>|<a href="[^"<>]*">[^<>]*<\/a>/g, '')
  expect(withoutOurs).not.toMatch(/[<>]/)
}

const harmless: Readonly<Record<string, (body: never) => void>> = {
  slack({ text, blocks: [section] }: { text: string; blocks: [{ text: { text: string } }] }) {
    expect(section.text.text.length).toBeLessThanOrEqual(3000)
    for (const one of [text, section.text.text]) {
      noMention(one)
      expect(one.replace(/<https:[^<>|\s]*\|(Acknowledge|Alert|Run|Check)>/g, '')).not.toMatch(/[<>`~]/)
    }
  },
  discord(body: { embeds: [{ title: string; description: string }]; allowed_mentions: unknown }) {
    const [{ title, description }] = body.embeds
    expect(body.allowed_mentions).toEqual({ parse: [] })
    expect(title.length).toBeLessThanOrEqual(256)
    expect(description.length).toBeLessThanOrEqual(4096)
    expect(description).not.toMatch(/(?<!\\)(\\\\)*[<`|]/)
    noMention(title + description)
  },
  telegram({ text }: { text: string }) {
    expect(text.length).toBeLessThanOrEqual(4096)
    balancedHtml(text)
    noMention(text)
  },
  ntfy({ message }: { message: string }) {
    expect(Buffer.byteLength(message)).toBeLessThanOrEqual(4096)
  },
  pagerduty(body: { dedup_key: string; payload?: { summary: string; source: string } }) {
    expect(body.dedup_key.length).toBeLessThanOrEqual(255)
    expect(body.payload?.summary.length ?? 0).toBeLessThanOrEqual(1024)
    expect(body.payload?.source).not.toBe('')
  },
  matrix({ body, formatted_body }: { body: string; formatted_body: string }) {
    noMention(body)
    noMention(formatted_body)
    balancedHtml(formatted_body)
  },
  pushover({ message, title, url = '' }: Record<string, string>) {
    expect(message?.length).toBeLessThanOrEqual(1024)
    expect(title?.length).toBeLessThanOrEqual(250)
    expect(url.length).toBeLessThanOrEqual(512)
  },
  teams({ attachments }: { attachments: unknown }) {
    expect(JSON.stringify(attachments)).not.toContain('{{')
  },
}
