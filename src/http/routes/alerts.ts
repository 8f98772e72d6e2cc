import { chooseWindow } from '../../analytics/window.ts'
import { apiError } from '../../errors.ts'
import { isoText } from '../../time.ts'
import { callerOf } from '../hooks/auth.ts'
import { cursorParam, offsetCursor } from '../input/cursor.ts'
import { findCheck, readId } from '../input/find-check.ts'
import { integer, oneOf, readParams, text } from '../input/params.ts'
import { windowParams } from '../input/window-params.ts'
import { alertEntry } from '../output/alert-entry.ts'
import { jsonInTurns } from '../output/answer-format.ts'
import { alertExplanationSchema, alertSchema, alertsSchema } from '../reference/alert-schemas.ts'
import { type Doc, type Routes, runningAlerts, type Schema, unusedBodyErrors } from '../route.ts'

const listParams = {
  state: oneOf({ description: 'Only alerts that are open or closed now.', choices: ['open', 'closed'], otherwise: null }),
  checkId: text({ description: 'Only alerts with this check.', maxLength: 128 }),
  ...windowParams,
  limit: integer({ description: 'Maximum number of alerts.', min: 1, max: 100, otherwise: 20 }),
  cursor: cursorParam('The `next` cursor of the previous response; keeps its window.', offsetCursor),
}

const explainParams = { checkId: { ...text({ description: 'The check.', maxLength: 128 }), required: true, expected: 'the id of a check' } }

export const alertRoutes: Routes = (app, deps) => {
  app.get('/v1/alerts', { config: { access: 'read', doc: listDoc } }, async (request, reply) => {
    const query = readParams(listParams, request.query)
    const { limit, state, cursor } = query
    const { window, offset } = cursor ?? { window: chooseWindow(query, deps.clock.now()), offset: 0 }
    const found = await runningAlerts(deps).incidents({
      account: callerOf(request).account.id,
      from: window.from,
      to: window.to + 1,
      isOpen: state && state === 'open',
      checkId: query.checkId && readId(query.checkId),
      limit: limit + 1,
      offset,
    })
    const next = found.length > limit ? offsetCursor.encode({ offset: offset + limit, window }) : null
    const alerts = found.slice(0, limit).map(alertEntry)
    reply.type('application/json; charset=utf-8')
    return jsonInTurns({ from: isoText(window.from), to: isoText(window.to), alerts, pagination: { limit, next } })
  })

  app.get('/v1/alerts/explain', { config: { access: 'read', doc: explainDoc } }, async (request) => {
    const { checkId } = readParams(explainParams, request.query)
    const check = findCheck(deps.catalogue, request, readId(checkId))
    const rules = await runningAlerts(deps).explain(callerOf(request).account.id, check.id)
    return { checkId: check.id, name: check.name, rules }
  })

  app.get('/v1/alerts/:id', { config: { access: 'read', doc: oneDoc } }, async (request) => {
    readParams({}, request.query)
    return entryOf(callerOf(request).account.id, idIn(request.params))
  })

  app.post('/v1/alerts/:id/acknowledge', { bodyLimit: 1024, config: { access: 'operate', doc: acknowledgeDoc } }, async (request) => {
    readParams({}, request.query)
    const { account, key } = callerOf(request)
    const id = idIn(request.params)
    await runningAlerts(deps).acknowledge(account.id, id, key.name)
    return entryOf(account.id, id)
  })

  async function entryOf(account: string, id: string) {
    const found = await runningAlerts(deps).incident(account, id)
    if (!found) throw apiError('ALERT_NOT_FOUND')
    return alertEntry(found)
  }
}

const idIn = (params: unknown) => (params as { readonly id: string }).id

const example = {
  id: '3f0c8f54-6f0e-4f7e-9a51-8f1b6f6f2f10',
  title: 'Shop is failing',
  rule: 'all',
  condition: 'failing',
  severity: 'critical',
  openedAt: '2026-11-14T03:12:01.340Z',
  closedAt: null,
  acknowledged: { at: '2026-11-14T03:14:00.000Z', by: 'ann' },
  memberCount: 1,
  members: [
    {
      subject: 'shop',
      checkId: 'shop',
      name: 'Shop',
      since: '2026-11-14T03:12:00.120Z',
      openedAt: '2026-11-14T03:12:01.340Z',
      until: null,
      closedAt: null,
      endedBy: null,
      reason: 'status 503, expected 200',
      locations: { down: ['eu-west-1', 'us-east-1'], known: 3 },
      resultId: '0e8f9d3a-7c0b-8b1e-8f00-1d2c3b4a5968',
      certificateDays: null,
      isFlapping: false,
    },
  ],
  channels: [
    { channel: 'ops', firstAt: '2026-11-14T03:12:01.610Z', lastAt: '2026-11-14T03:12:01.610Z', open: 1, reminders: 0, dropped: false },
  ],
  messages: [
    {
      id: '9b1f4ad8-2a6f-4c53-a0b5-6a1c6f2b7e21',
      channel: 'ops',
      event: 'open',
      title: 'Shop is failing',
      decidedAt: '2026-11-14T03:12:01.340Z',
      state: 'delivered',
      attempts: 1,
      lastAt: '2026-11-14T03:12:01.610Z',
      answer: '200 ok',
      nextAt: null,
    },
  ],
}

const listDoc: Doc = {
  group: 'Alerts',
  summary: 'Alerts, open and past',
  description: 'Alerts open at any time in the window, newest first, with the notifications of each channel.',
  query: listParams,
  answer: {
    description: 'A page of alerts, and the next cursor; null at the end.',
    schema: alertsSchema,
    example: {
      from: '2026-11-13T10:00:00.000Z',
      to: '2026-11-14T10:00:00.000Z',
      alerts: [example],
      pagination: { limit: 20, next: null },
    },
  },
  errors: ['INVALID_ID', 'INVALID_WINDOW', 'UNKNOWN_TIMEZONE', 'INVALID_CURSOR', 'ALERTS_OFF'],
}

const explainDoc: Doc = {
  group: 'Alerts',
  summary: 'Why each rule would alert about a check now, or would not',
  query: explainParams,
  answer: {
    description: 'The rules in the order of the config file, each with its reasons; empty if the account has no rules.',
    schema: alertExplanationSchema,
    example: {
      checkId: 'shop',
      name: 'Shop',
      rules: [{ rule: 'all', reasons: [{ code: 'clear', text: 'Shop: the condition does not hold.' }] }],
    },
  },
  errors: ['INVALID_ID', 'CHECK_NOT_FOUND', 'ALERTS_OFF'],
}

const path: Readonly<Record<string, Schema>> = { id: { type: 'string', description: 'The id of an alert of your account.' } }
const errors = ['ALERT_NOT_FOUND', 'ALERTS_OFF'] as const
const answer = { description: 'The alert.', schema: alertSchema, example }
const oneDoc: Doc = { group: 'Alerts', summary: 'One alert', path, query: {}, answer, errors }
const acknowledgeDoc: Doc = {
  group: 'Alerts',
  summary: 'Acknowledge an alert',
  description: 'Stops later steps and reminders. Only the first acknowledgement counts; closed alerts are not changed.',
  path,
  query: {},
  answer,
  errors: [...errors, ...unusedBodyErrors],
}
