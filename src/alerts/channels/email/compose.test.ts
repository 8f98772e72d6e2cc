import { expect, test } from 'vitest'
import { noon } from '../../../../test/support/channels.ts'
import { exampleMessage } from '../example-message.ts'
import type { AlertMessage } from '../message.ts'
import { composed } from './compose.ts'

const mail = (event: AlertMessage['event'], more: Partial<AlertMessage> = {}, from = 'Tidemark <tidemark@example.com>') =>
  composed({ ...exampleMessage(event, { id: 'msg-1', now: noon }), ...more }, { from, to: ['ops@example.com'] }, noon)

test.each([
  ['failing', 'failing'],
  ['degraded', 'degraded'],
  ['certificate', 'certificate expires'],
  ['sloBurn', 'error budget burns'],
  ['silent', 'silent'],
  ['location', 'location fails'],
] as const)('the subject line of the condition %s has "%s", throughout an incident', (condition, words) => {
  const subject = `Shop: ${words} since 2026-11-17 11:48 UTC`
  expect(mail('open', { condition }).subject).toBe(subject)
  for (const event of ['update', 'reminder', 'close'] as const) expect(mail(event, { condition }).subject).toBe(`Re: ${subject}`)
})

test('for several subjects the subject line names the rule; for a test or a broken channel it is the title', () => {
  expect(mail('open', { subjectCount: 2 }).subject).toBe('Rule shop-down: failing since 2026-11-17 11:48 UTC')
  expect(mail('open', { subjects: [], subjectCount: 0 }).subject).toBe('Rule shop-down: failing since 2026-11-17 11:48 UTC')
  expect(mail('test').subject).toBe('Test message of Tidemark')
  expect(mail('channelBroken').subject).toBe('The channel ops-chat does not work: 404 no_service')
})

test('later mails reply to the first one, with the domain of the sender', () => {
  expect(mail('open')).toMatchObject({ messageId: '<incident-example-msg-1@example.com>' })
  expect(mail('open')).not.toHaveProperty('inReplyTo')
  const first = '<incident-a-b@example.org>'
  const incident = { id: 'a b', openedAt: noon, closedAt: null }
  expect(mail('close', { id: 'x/y', incident }, 'ops@example.org')).toMatchObject({
    messageId: '<x-y@example.org>',
    inReplyTo: first,
    references: [first],
  })
  expect(mail('open', {}, 'nobody').messageId).toBe('<incident-example-msg-1@localhost>')
})

test.each([
  ['open', 'critical', '#c62828'],
  ['open', 'warning', '#e65100'],
  ['open', 'info', '#1565c0'],
  ['close', 'critical', '#2e7d32'],
] as const)('the title of the event %s with severity %s has the colour %s', (event, severity, colour) => {
  const { html, text } = mail(event, { severity, title: 'Shop <b> & co' })
  expect(html).toContain(`<h2 style="margin:0 0 12px;color:${colour}">Shop &#60;b&#62; &#38; co</h2>`)
  expect(text).toMatch(/^Shop <b> & co\n\n/)
})

test('a mail is marked as automatic, and cannot include files or URLs', () => {
  expect(mail('open')).toMatchObject({
    from: { name: 'Tidemark', address: 'tidemark@example.com' },
    to: [{ name: '', address: 'ops@example.com' }],
    date: new Date(noon),
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
    disableFileAccess: true,
    disableUrlAccess: true,
  })
})
