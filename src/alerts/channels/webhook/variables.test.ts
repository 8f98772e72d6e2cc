import { expect, test } from 'vitest'
import { noon } from '../../../../test/support/channels.ts'
import { exampleMessage } from '../example-message.ts'
import type { AlertMessage, MessageSubject } from '../message.ts'
import { alertTypeOf, templateVariables } from './variables.ts'

const example = (event: AlertMessage['event'], more: Partial<AlertMessage> = {}) => ({
  ...exampleMessage(event, { id: 'msg-1', now: noon }),
  ...more,
})
const opened = example('open')
const [shop] = opened.subjects
if (!shop) throw new Error('the example has no subject')
const about = (more: Partial<MessageSubject>) => templateVariables({ ...opened, subjects: [{ ...shop, ...more }] })

const ofMessage = {
  ALERT_TITLE: 'Shop is failing',
  ALERT_TYPE: 'ALERT_FAILURE',
  CHECK_DESCRIPTION: '',
  API_CHECK_RESPONSE_STATUS_TEXT: '',
  SSL_CHECK_DOMAIN: '',
  IS_REMINDER: false,
  REMINDER_SEQUENCE: 0,
  EVENT: 'open',
  CONDITION: 'failing',
  SEVERITY: 'critical',
  ACCOUNT_NAME: 'Main',
  RULE: 'shop-down',
  INCIDENT_ID: 'example-msg-1',
  MESSAGE_ID: 'msg-1',
  ALERT_LINK: '',
  ACKNOWLEDGE_LINK: '',
}

test('a message about a check has variables of the check and of its last result', () => {
  expect(templateVariables(opened)).toEqual({
    ...ofMessage,
    CHECK_ID: 'shop',
    CHECK_NAME: 'Shop',
    CHECK_TYPE: '',
    CHECK_ERROR_MESSAGE: 'the status code is 503, not 200',
    CHECK_RESULT_ID: 'example',
    RESULT_LINK: '',
    RESPONSE_TIME: 182,
    STARTED_AT: '2026-11-17T11:48:00.000Z',
    REGION: 'eu-central',
    RUN_LOCATION: 'eu-central',
    GROUP_NAME: 'shop',
    TAGS: ['shop', 'team:web'],
    API_CHECK_RESPONSE_STATUS_CODE: 503,
    SSL_DAYS_REMAINING: '',
    SUBJECT_COUNT: 1,
    SUBJECTS: [
      {
        NAME: 'Shop',
        CHECK_ID: 'shop',
        IS_NEW: true,
        SINCE: '2026-11-17T11:48:00.000Z',
        UNTIL: '',
        REASON: 'the status code is 503, not 200',
        LOCATIONS: ['eu-central', 'us-east'],
        LINK: '',
      },
    ],
  })
})

test('a message without subjects has the same variables, with empty values', () => {
  const variables = templateVariables({ ...opened, subjects: [], subjectCount: 0 })
  expect(variables).toEqual({
    ...ofMessage,
    CHECK_ID: '',
    CHECK_NAME: '',
    CHECK_TYPE: '',
    CHECK_ERROR_MESSAGE: '',
    CHECK_RESULT_ID: '',
    RESULT_LINK: '',
    RESPONSE_TIME: '',
    STARTED_AT: '2026-11-17T11:48:00.000Z',
    REGION: '',
    RUN_LOCATION: '',
    GROUP_NAME: '',
    TAGS: [],
    API_CHECK_RESPONSE_STATUS_CODE: '',
    SSL_DAYS_REMAINING: '',
    SUBJECT_COUNT: 0,
    SUBJECTS: [],
  })
  expect(Object.keys(variables)).toEqual(Object.keys(templateVariables(opened)))
})

test('a subject that is not a check has its name and what is known of it', () => {
  const bare = { check: null, reason: null, locations: null, result: null, until: noon, certificateDays: 3, isNew: false }
  expect(about({ ...bare, since: noon - 1000 })).toMatchObject({
    CHECK_ID: '',
    CHECK_NAME: 'Shop',
    RESPONSE_TIME: '',
    STARTED_AT: '2026-11-17T11:59:59.000Z',
    REGION: '',
    TAGS: [],
    SSL_DAYS_REMAINING: 3,
    SUBJECTS: [{ CHECK_ID: '', IS_NEW: false, UNTIL: '2026-11-17T12:00:00.000Z', REASON: '', LOCATIONS: [] }],
  })
  expect(about({ result: null })).toMatchObject({ RUN_LOCATION: 'eu-central' })
  expect(about({ result: null, locations: { down: [], known: 2 } })).toMatchObject({ RUN_LOCATION: '' })
})

test('the link of a result is that of its run, otherwise of its check, otherwise of the alert', () => {
  const [run, check, incident] = ['https://t.example/run', 'https://t.example/check', 'https://t.example/alert']
  expect(about({ links: { run, check } })).toMatchObject({ RESULT_LINK: run, SUBJECTS: [{ LINK: run }] })
  expect(about({ links: { run: null, check } })).toMatchObject({ RESULT_LINK: check, SUBJECTS: [{ LINK: check }] })
  const links = { incident, acknowledge: 'https://t.example/ack' }
  expect(templateVariables({ ...opened, links })).toMatchObject({
    RESULT_LINK: incident,
    ALERT_LINK: incident,
    ACKNOWLEDGE_LINK: 'https://t.example/ack',
  })
})

test('untrusted texts become one line, and lists are limited', () => {
  const many = Array.from({ length: 60 }, (_, i) => `t${i}\n`)
  const variables = about({ name: 'a\nb', check: { id: 'x', type: 'T', tags: many }, locations: { down: many, known: 60 } })
  expect([variables.CHECK_NAME, variables.CHECK_TYPE, variables.GROUP_NAME, (variables.TAGS as unknown[]).length]).toEqual([
    'a b',
    'T',
    't0',
    50,
  ])
  expect(variables.SUBJECTS).toMatchObject([{ NAME: 'a b', LOCATIONS: expect.toSatisfy((names: unknown[]) => names.length === 50) }])
})

test('a reminder has its number', () => {
  expect(templateVariables(example('reminder', { reminder: 3 }))).toMatchObject({ IS_REMINDER: true, REMINDER_SEQUENCE: 3 })
})

test.each([
  ['test', 'failing', 'NO_ALERT'],
  ['open', 'failing', 'ALERT_FAILURE'],
  ['open', 'silent', 'ALERT_FAILURE'],
  ['open', 'degraded', 'ALERT_DEGRADED'],
  ['reminder', 'failing', 'ALERT_FAILURE_REMAIN'],
  ['reminder', 'degraded', 'ALERT_DEGRADED_REMAIN'],
  ['close', 'failing', 'ALERT_RECOVERY'],
  ['missed', 'degraded', 'ALERT_DEGRADED_RECOVERY'],
  ['settled', 'failing', 'ALERT_RECOVERY'],
  ['close', 'certificate', 'ALERT_SSL'],
  ['test', 'certificate', 'NO_ALERT'],
] as const)('the event %s of the condition %s is a %s', (event, condition, type) => {
  expect(alertTypeOf(example(event, { condition }))).toBe(type)
})
