import fc from 'fast-check'
import Handlebars from 'handlebars'
import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import { answers, channelReceiver, noon, signingSecret, testTransport } from '../../../../test/support/channels.ts'
import { triesOf } from '../../../../test/support/tries.ts'
import { Check } from '../../../schema/typebox.ts'
import type { ChannelSettings } from '../channel.ts'
import { exampleMessage } from '../example-message.ts'
import type { AlertMessage } from '../message.ts'
import { webhook } from './index.ts'
import { signatureHeaders } from './sign.ts'
import { templatedBody, templateFault } from './template.ts'
import { templateVariables } from './variables.ts'

const opened = exampleMessage('open', { id: 'msg-1', now: noon })

async function send(extra: ChannelSettings, message: AlertMessage = opened, now = Date.now()) {
  const { url, received } = await channelReceiver(answers(204))
  const settings = { url, ...extra }
  expect(Check(webhook.settings, settings)).toBe(true)
  const outcome = await webhook.deliver(message, settings, testTransport({ now: () => now }), new AbortController().signal)
  const [request] = received
  return { outcome, request: request ?? { method: '', path: '', headers: {}, body: '' } }
}

describe('signatures', () => {
  const other = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

  test('match the test vector of Standard Webhooks', () => {
    const headers = signatureHeaders({
      id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      body: '{"test": 2432232314}',
      secrets: [signingSecret],
      now: 1614265330_999,
    })
    expect(headers).toEqual({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    })
  })

  test('are verified by the standardwebhooks package, with either secret during a rotation', async () => {
    const { request } = await send({ secrets: [signingSecret, other] })
    for (const secret of [signingSecret, other]) {
      expect(new Webhook(secret).verify(request.body, { ...request.headers })).toMatchObject({ type: 'alert.open' })
    }
    expect(() => new Webhook(other).verify(`${request.body} `, { ...request.headers })).toThrow('No matching signature found')
  })

  test('have the time of the attempt and the id of the message', async () => {
    const [first, second] = [await send({ secrets: [other] }, opened, noon), await send({ secrets: [other] }, opened, noon + 60_000)]
    expect(second.request.headers['webhook-id']).toBe(first.request.headers['webhook-id'])
    expect(second.request.body).toBe(first.request.body)
    expect(Number(second.request.headers['webhook-timestamp'])).toBe(Number(first.request.headers['webhook-timestamp']) + 60)
  })

  test('are omitted without a secret', async () => {
    expect((await send({})).request.headers).not.toHaveProperty('webhook-signature')
  })

  test.each([
    'whsec_',
    'whsec_short',
    'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLa!!',
    `whsec_${'A'.repeat(100)}`,
  ])('reject %s as a secret', (secret) => expect(Check(webhook.settings, { url: 'http://localhost', secrets: [secret] })).toBe(false))
})

describe('templates', () => {
  const hostile = (text: string) => ({
    ...opened,
    title: text,
    subjects: opened.subjects.map((subject) => ({ ...subject, name: text, reason: text })),
  })
  const json = 'application/json'

  test('support the variables of existing templates', async () => {
    const template =
      '{"t": "{{ALERT_TITLE}}", "k": "{{ALERT_TYPE}}", "tags": [{{#each TAGS}}"{{this}}"{{#unless @last}},{{/unless}}{{/each}}]{{#if IS_REMINDER}}, "n": {{REMINDER_SEQUENCE}}{{/if}} }'
    const { request } = await send({ template, method: 'PUT', headers: { 'X-Team': 'web' } })
    expect(JSON.parse(request.body)).toEqual({ t: 'Shop is failing', k: 'ALERT_FAILURE', tags: ['shop', 'team:web'] })
    expect(request).toMatchObject({ method: 'PUT', headers: { 'x-team': 'web', 'content-type': json } })
    const reminded = await send({ template }, exampleMessage('reminder', { id: 'msg-2', now: noon }))
    expect(JSON.parse(reminded.request.body)).toMatchObject({ k: 'ALERT_FAILURE_REMAIN', n: 1 })
  })

  test('escape values for the content type', () => {
    const text = '"}&<b>\n\\ ä'
    expect(JSON.parse(templatedBody('{"x": "{{CHECK_NAME}}"}', hostile(text), json))).toEqual({ x: '"}&<b> \\ ä' })
    const form = templatedBody('chat_id=1&text={{CHECK_NAME}}', hostile('a&text=b'), 'application/x-www-form-urlencoded')
    expect(Object.fromEntries(new URLSearchParams(form))).toEqual({ chat_id: '1', text: 'a&text=b' })
    expect(templatedBody('<p>{{CHECK_NAME}}</p>', hostile('<b>'), 'text/html')).toBe('<p>&#60;b&#62;</p>')
    expect(templatedBody('{{{CHECK_NAME}}}', hostile('<b>'), 'text/html')).toBe('<b>')
  })

  test('render up to 100,000 characters', () => {
    const rendered = (end: string) => templatedBody(`${'{{{CHECK_NAME}}}'.repeat(50)}${end}`, hostile('x'.repeat(2000)), 'text/plain')
    expect(rendered('')).toHaveLength(100_000)
    expect(() => rendered('y')).toThrow('the template renders more than 100000 characters')
  })

  test('give valid JSON, whatever the values', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        const body = templatedBody(
          '{"a": "{{ALERT_TITLE}}", "b": "{{CHECK_ERROR_MESSAGE}}", "c": {{{json SUBJECTS}}} }',
          hostile(text),
          json,
        )
        expect(Object.keys(JSON.parse(body))).toEqual(['a', 'b', 'c'])
      }),
    )
  })

  test('have helpers', () => {
    const rendered = (template: string) => templatedBody(template, opened, 'text/plain')
    expect(rendered('{{tagValue "team"}}')).toBe('web')
    expect(rendered('{{#if (startsWith CHECK_NAME "Sh")}}yes{{else}}no{{/if}}')).toBe('yes')
    expect(rendered('{{replace ALERT_TITLE "is" "was"}}')).toBe('Shop was failing')
    expect(rendered('{{#each (split ALERT_TITLE " ")}}[{{this}}]{{/each}}')).toBe('[Shop][is][failing]')
    expect(rendered('{{$UUID}}')).toBe('msg-1')
    expect(rendered('{{#each SUBJECTS as |one place|}}{{place}}:{{one.NAME}} of {{../ACCOUNT_NAME}}{{/each}}')).toBe('0:Shop of Main')
  })

  test('render as Handlebars does', () => {
    const variables = templateVariables(opened)
    const piece = fc.constantFrom(
      ...[
        'text ',
        '\n',
        '  ',
        '{{! note }}',
        '{{ALERT_TITLE}}',
        '{{{CHECK_ERROR_MESSAGE}}}',
        '{{TAGS}}',
        '{{TAGS.length}}',
        '{{TAGS.[0]}}',
        '{{this.CHECK_ID}}',
      ],
      ...[
        '{{NOTHING}}',
        '{{NOTHING.deeper}}',
        '{{SUBJECT_COUNT}}',
        '{{IS_REMINDER}}',
        '{{REMINDER_SEQUENCE}}',
        '{{constructor}}',
        '{{__proto__.x}}',
        '{{lookup TAGS 1}}',
      ],
      ...[
        '{{~ALERT_TYPE~}}',
        '{{@root.CHECK_ID}}',
        '{{@index}}',
        '{{@key}}',
        '{{@last}}',
        '{{../CHECK_ID}}',
        '{{this}}',
        '{{NAME}}',
        '{{item}}',
        '{{item.NAME}}',
        '{{&RULE}}',
      ],
    )
    const template = fc.letrec<{ body: string }>((tie) => ({
      body: fc.oneof(
        { maxDepth: 3 },
        fc.array(piece, { maxLength: 4 }).map((pieces) => pieces.join('')),
        fc
          .tuple(
            fc.constantFrom(
              'if IS_REMINDER',
              'if TAGS',
              'if REMINDER_SEQUENCE includeZero=true',
              'unless NOTHING',
              'each TAGS',
              'each SUBJECTS',
              'each SUBJECTS as |item i|',
              'each NOTHING',
              'with SUBJECTS.[0]',
              'with NOTHING',
              'TAGS',
              'NOTHING',
            ),
            tie('body'),
            tie('body'),
            fc.boolean(),
          )
          .map(([head, inside, otherwise, hasElse]) => {
            const [name] = head.split(' ')
            return `{{#${head}}}${inside}${hasElse ? `{{else}}${otherwise}` : ''}{{/${name}}}`
          }),
        fc.tuple(tie('body'), tie('body')).map(([one, two]) => one + two),
      ),
    })).body
    fc.assert(
      fc.property(template, (text) => {
        const expected = Handlebars.compile(text)(variables)
        expect(templatedBody(text, opened, 'text/plain')).toBe(expected)
      }),
      { numRuns: triesOf(1000) },
    )
  })

  test('name what is not supported', () => {
    expect(templateFault('{{#if}}x{{/if}}')).toContain('#if without exactly one value')
    expect(templateFault('{{#if A}}x')).toContain('not valid')
    expect(templateFault('{{shout A}}')).toBe('the template has the unknown helper shout')
    expect(templateFault('{{#loop A}}{{/loop}}')).toBe('the template has the unknown helper loop')
    expect(templateFault('{{> other}}')).toContain('a partial')
    expect(templateFault('{{#each A}}'.repeat(50) + '{{/each}}'.repeat(50))).toContain('nested')
    expect(templateFault('{{#if A}}'.repeat(1200) + '{{/if}}'.repeat(1200))).toContain('nested')
    expect(templateFault(`{{x ${'(lookup '.repeat(1500)}a${')'.repeat(1500)}}}`)).not.toBeNull()
    expect(templateFault('{{ALERT_TITLE}}')).toBeNull()
    expect(Check(webhook.settings, { url: 'http://localhost', template: '{{#if}}' })).toBe(false)
    expect(Check(webhook.settings, { url: 'http://localhost', template: 'x'.repeat(20_001) })).toBe(false)
  })

  test.each([
    ['loops in loops', `${'{{#each @root.TAGS}}'.repeat(15)}x${'{{/each}}'.repeat(15)}`],
    ['empty loops in loops', '{{#each @root.TAGS}}'.repeat(15) + '{{/each}}'.repeat(15)],
    ['texts that are thrown away', '{{#if (json SUBJECTS)}}{{/if}}'.repeat(600)],
    ['a long text many times', '{{CHECK_ERROR_MESSAGE}}'.repeat(800)],
    [
      'replacements of replacements',
      `{{replace (replace (replace CHECK_ERROR_MESSAGE "a" "${'a'.repeat(900)}") "a" "${'a'.repeat(900)}") "a" "b"}}`,
    ],
  ])('%s break the channel instead of blocking the thread', async (_, template) => {
    const long = hostile('a'.repeat(1_000_000))
    const message = {
      ...long,
      subjects: long.subjects.map((subject) => ({ ...subject, check: { id: 'x', type: '', tags: Array.from({ length: 50 }, String) } })),
    }
    const { outcome, request } = await send({ template }, message)
    expect(outcome).toMatchObject({ outcome: 'broken', answer: expect.stringMatching(/^the template (takes|renders|has too many)/) })
    expect(request.body).toBe('')
  })
})

test('a body has at most 20 kB, and the total number of subjects', async () => {
  const [subject] = opened.subjects
  if (!subject) throw new Error('the example has no subject')
  const many = Array.from({ length: 20 }, (_, index) => ({ ...subject, name: `Shop ${index}`, reason: 'reason '.repeat(200) }))
  const { request } = await send({}, { ...opened, subjects: many, subjectCount: 45 })
  const { data } = JSON.parse(request.body) as { data: { subjects: { name: string }[]; subjectCount: number } }
  expect(Buffer.byteLength(request.body)).toBeLessThanOrEqual(20_000)
  expect(data.subjectCount).toBe(45)
  expect(data.subjects.length).toBeGreaterThan(10)
  expect(data.subjects[0]?.name).toBe('Shop 0')
})

test.each([{ 'Bad Name': 'x' }, { 'X-A': 'a\r\nX-B: b' }])('%j are rejected as headers', (headers) => {
  expect(Check(webhook.settings, { url: 'http://localhost', headers })).toBe(false)
})
