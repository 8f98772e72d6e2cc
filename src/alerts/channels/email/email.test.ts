import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { expect, test } from 'vitest'
import { noon, testTransport } from '../../../../test/support/channels.ts'
import { certificate, listening, tcpServer } from '../../../../test/support/servers.ts'
import { Check } from '../../../schema/typebox.ts'
import { exampleMessage } from '../example-message.ts'
import type { AlertMessage } from '../message.ts'
import type { ChannelTransportOptions } from '../transport.ts'
import { email } from './index.ts'

const opened = exampleMessage('open', { id: 'msg-1', now: noon })
const never = new AbortController().signal

/** A mail server that records received mails. */
async function mailServer(options: SMTPServerOptions = {}) {
  const mails: { readonly text: string; readonly to: readonly string[] }[] = []
  const server = new SMTPServer({
    ...certificate,
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, session, done) {
      let text = ''
      stream.setEncoding('utf8').on('data', (piece: string) => {
        text += piece
      })
      stream.on('end', () => {
        mails.push({ text, to: session.envelope.rcptTo.map(({ address }) => address) })
        done()
      })
    },
    ...options,
  })
  server.on('error', () => {})
  const port = await listening(server.server)
  return { port, mails }
}

async function send(port: number, message: AlertMessage = opened, extra = {}, options: Partial<ChannelTransportOptions> = {}) {
  const settings = { host: '127.0.0.1', port, security: 'none', from: 'Tidemark <tidemark@example.com>', to: ['ops@example.com'], ...extra }
  expect(Check(email.settings, settings)).toBe(true)
  return email.deliver(message, settings, testTransport(options), never)
}

const headerOf = (text: string, name: string) =>
  new RegExp(`^${name}: (.*(?:\\r\\n[ \\t].*)*)`, 'im').exec(text)?.[1]?.replace(/\r\n[ \t]/g, ' ')

test('a mail has text and HTML, is marked as automatic, and goes to all recipients', async () => {
  const { port, mails } = await mailServer()
  const outcome = await send(port, opened, { to: ['ops@example.com', 'Boss <boss@example.com>'] })
  expect(outcome).toMatchObject({ outcome: 'delivered', answer: expect.stringContaining('250') })
  const { text = '', to } = mails[0] ?? {}
  expect(to).toEqual(['ops@example.com', 'boss@example.com'])
  expect(headerOf(text, 'From')).toBe('Tidemark <tidemark@example.com>')
  expect(headerOf(text, 'Subject')).toBe('Shop: failing since 2026-11-17 11:48 UTC')
  expect(headerOf(text, 'Auto-Submitted')).toBe('auto-generated')
  expect(headerOf(text, 'Date')).toBe('Tue, 17 Nov 2026 12:00:00 +0000')
  expect(text).toContain('Content-Type: text/plain')
  expect(text).toContain('Content-Type: text/html')
  expect(text).toContain('At 2 of 3 locations: eu-central, us-east')
})

test.each([
  ['Alerts: production', '"Alerts: production"'],
  ['Ops (on call', '"Ops (on call"'],
  ['Ops, Berlin', '"Ops, Berlin"'],
  ['"Ops, Berlin"', '"Ops, Berlin"'],
  ['Ops "night', '"Ops \\"night"'],
])('the display name %s is quoted correctly', async (name, shown) => {
  const { port, mails } = await mailServer()
  const outcome = await send(port, opened, { from: `${name} <tidemark@example.com>`, to: [`${name} <ops@example.com>`] })
  expect(outcome).toMatchObject({ outcome: 'delivered' })
  const { text = '', to } = mails[0] ?? {}
  expect(to).toEqual(['ops@example.com'])
  expect([headerOf(text, 'From'), headerOf(text, 'To')]).toEqual([`${shown} <tidemark@example.com>`, `${shown} <ops@example.com>`])
})

test('an outage is one thread: later mails reply to the first, and every attempt has the same id', async () => {
  const { port, mails } = await mailServer()
  const closed = { ...exampleMessage('close', { id: 'msg-2', now: noon }), incident: { ...opened.incident, closedAt: noon } }
  for (const message of [opened, opened, closed, closed]) await send(port, message)
  const ids = mails.map(({ text }) => headerOf(text, 'Message-ID'))
  const first = '<incident-example-msg-1@example.com>'
  expect(ids).toEqual([first, first, '<msg-2@example.com>', '<msg-2@example.com>'])
  expect(mails.map(({ text }) => headerOf(text, 'In-Reply-To'))).toEqual([undefined, undefined, first, first])
  expect(mails.map(({ text }) => headerOf(text, 'References'))).toEqual([undefined, undefined, first, first])
  const subjects = mails.map(({ text }) => headerOf(text, 'Subject')?.replace(/^Re: /, ''))
  expect(new Set(subjects).size).toBe(1)
})

test('a 4yz response is retried, and a 5yz response means that the channel is broken', async () => {
  const refusing = (responseCode: number) =>
    mailServer({
      onRcptTo: (_address, _session, done) => done(Object.assign(new Error('not now'), { responseCode })),
    })
  expect(await send((await refusing(451)).port)).toEqual({ outcome: 'retry', answer: '451 not now', afterMs: null })
  expect(await send((await refusing(550)).port)).toEqual({ outcome: 'broken', answer: '550 not now' })
})

test('it is delivered if the server accepts one of the recipients, and the others are named', async () => {
  const { port, mails } = await mailServer({
    onRcptTo: ({ address }, _session, done) =>
      done(address.startsWith('gone') ? Object.assign(new Error('no such user'), { responseCode: 550 }) : null),
  })
  const outcome = await send(port, opened, { to: ['ops@example.com', 'gone@example.com'] })
  expect(outcome).toMatchObject({ outcome: 'delivered', answer: expect.stringContaining('refused: gone@example.com') })
  expect(mails).toHaveLength(1)
})

test('without TLS nothing is sent where it is required, and the password is not shown', async () => {
  const { port, mails } = await mailServer()
  const outcome = await send(port, opened, { security: 'starttls', username: 'tidemark', password: 'S3CRET-password' })
  expect(outcome.outcome).toBe('broken')
  expect(outcome.answer).toMatch(/STARTTLS/)
  expect(mails).toEqual([])
})

test('an untrusted certificate is rejected', async () => {
  const starttls = await mailServer({ disabledCommands: [] })
  expect(await send(starttls.port, opened, { security: 'starttls' })).toMatchObject({
    outcome: 'broken',
    answer: expect.stringMatching(/certificate/i),
  })
  expect(starttls.mails).toEqual([])
})

test('a wrong password means that the channel is broken, and is not shown', async () => {
  const { port } = await mailServer({
    authMethods: ['PLAIN'],
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _session, done) => done(new Error(`wrong: ${username} ${password}`)),
  })
  const outcome = await send(port, opened, { username: 'tidemark', password: 'S3CRET-password' })
  expect(outcome).toMatchObject({ outcome: 'broken', answer: expect.stringContaining('535') })
  expect(outcome.answer).not.toContain('S3CRET')
})

test('a user without a password is not logged in', async () => {
  const { port, mails } = await mailServer({
    authMethods: ['PLAIN'],
    allowInsecureAuth: true,
    onAuth: (_auth, _session, done) => done(null, { user: 1 }),
  })
  expect(await send(port, opened, { username: 'tidemark' })).toMatchObject({
    outcome: 'broken',
    answer: expect.stringContaining('Missing credentials'),
  })
  expect(mails).toEqual([])
})

test('timeouts and resets are retried', async () => {
  const silent = await tcpServer(() => {})
  expect(await send(silent, opened, {}, { timeoutMs: 50 })).toEqual({ outcome: 'retry', answer: 'no answer within 50 ms', afterMs: null })
  const resetting = await tcpServer((socket) => void socket.resetAndDestroy())
  expect(await send(resetting)).toMatchObject({ outcome: 'retry' })
})

test('no connection is made to an address that the policy denies', async () => {
  const { port, mails } = await mailServer()
  const outcome = await send(port, opened, {}, { addresses: { allow: [], deny: ['127.0.0.1'] } })
  expect(outcome).toMatchObject({ outcome: 'broken', answer: expect.stringContaining('127.0.0.1') })
  const named = await send(port, opened, { host: 'mail.test' }, { lookup: async () => ['169.254.169.254'] })
  expect(named).toMatchObject({ outcome: 'broken', answer: expect.stringContaining('169.254.169.254') })
  expect(mails).toEqual([])
})

test('untrusted texts add no header, no recipient and no markup', async () => {
  const { port, mails } = await mailServer()
  const hostile = 'Shop\r\nBcc: victim@example.com\r\n\r\n<img src=x onerror=alert(1)>\u202e'
  const [subject] = opened.subjects
  if (!subject) throw new Error('the example has no subject')
  const message = {
    ...opened,
    title: hostile,
    account: { id: 'a', name: hostile },
    subjects: [{ ...subject, name: hostile, reason: hostile }],
  }
  expect(await send(port, message)).toMatchObject({ outcome: 'delivered' })
  const { text = '', to } = mails[0] ?? {}
  expect(to).toEqual(['ops@example.com'])
  expect(headerOf(text.split('\r\n\r\n')[0] ?? '', 'Bcc')).toBeUndefined()
  expect(text.split('text/html')[1]).not.toContain('<img')
})

test.each(['no address', 'a@b, c@d', 'a@b\r\nBcc: c@d', '<a@b>', '@b'])('%j is not a valid recipient', (address) => {
  const settings = { host: 'smtp.example.com', from: 'a@example.com', to: [address] }
  expect(Check(email.settings, settings)).toBe(false)
})
