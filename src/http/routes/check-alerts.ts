import type { FastifyRequest } from 'fastify'
import { paging } from '../../analytics/plan.ts'
import type { Edge } from '../../analytics/resolve-window.ts'
import { edgeInstant } from '../../analytics/window.ts'
import { utc } from '../../calendar/zone.ts'
import { channelNumber } from '../../catalogue/policies/channels.ts'
import { apiError } from '../../errors.ts'
import type { Window } from '../../store/store.ts'
import { hourMs } from '../../time.ts'
import { callerOf } from '../hooks/auth.ts'
import { findCheck, idSchema, requestedId } from '../input/find-check.ts'
import { booleanParam, instant, integer, readKnownParams } from '../input/params.ts'
import { pageParams } from '../input/window-params.ts'
import { clientChannel } from '../output/alert-channel-entry.ts'
import { checkAlertEntry, notificationEntry } from '../output/check-alert.ts'
import { alertNotificationSchema, checkAlertSchema } from '../reference/alert-schemas.ts'
import { type Doc, type Routes, runningAlerts } from '../route.ts'

const alertHours = 6
const notificationHours = 24

const windowOf = (hours: number) => ({
  from: instant({ description: `The first instant of the window; default: ${hours} hours before its end.` }),
  to: instant({ description: `The last instant of the window, at most ${hours} hours after the first; default: now.` }),
})
const alertParams = { ...pageParams, ...windowOf(alertHours) }
const notificationParams = {
  ...pageParams,
  ...windowOf(notificationHours),
  alertChannelId: integer({ description: 'Only messages to the channel with this id.', min: 1, otherwise: null }),
  hasFailures: booleanParam({ description: 'Only messages that could not be delivered, or only others.', otherwise: null }),
}

/** Alerts in the formats of existing clients. */
export const checkAlertRoutes: Routes = (app, deps) => {
  const { catalogue, clock } = deps

  async function changes(request: FastifyRequest, checkId: string | null) {
    const params = readKnownParams(alertParams, request.query)
    const account = callerOf(request).account.id
    const window = chosenWindow(params, clock.now(), alertHours)
    const found = await runningAlerts(deps).changes({ account, from: window.from, to: window.to + 1, checkId, ...paging(params) })
    return found.map((change) => checkAlertEntry(change, (id) => catalogue.check(account, id)?.checkType.type ?? null))
  }
  app.get('/v1/check-alerts', { config: { access: 'read', doc: alertDoc } }, async (request) => changes(request, null))
  app.get('/v1/check-alerts/:id', { config: { access: 'read', doc: oneCheckDoc } }, async (request) =>
    changes(request, findCheck(catalogue, request, requestedId(request)).id),
  )

  app.get('/v1/alert-notifications', { config: { access: 'read', doc: notificationDoc } }, async (request) => {
    const params = readKnownParams(notificationParams, request.query)
    const account = callerOf(request).account.id
    const { channels } = catalogue.policies(account)
    const { alertChannelId, hasFailures } = params
    const window = chosenWindow(params, clock.now(), notificationHours)
    const alerts = runningAlerts(deps)
    const channel = alertChannelId === null ? null : channels.find(({ id }) => channelNumber(account, id) === alertChannelId)?.id
    if (channel === undefined) return []
    const query = { account, from: window.from, to: window.to + 1, channel, hasFailures, ...paging(params) }
    return (await alerts.deliveries(query)).map((record) => {
      const known = channels.find(({ id }) => id === record.delivery.channel)
      const { type, config } = known ? clientChannel(known) : { type: 'WEBHOOK', config: { name: record.delivery.channel } }
      return notificationEntry(record, { type, alertConfig: config, alertChannelId: channelNumber(account, record.delivery.channel) })
    })
  })
}

type WindowEdges = { readonly from: Edge | null; readonly to: Edge | null }

function chosenWindow({ from: first, to: last }: WindowEdges, now: number, hours: number): Window {
  const to = last === null ? now : edgeInstant(last, 'to', utc)
  const from = first === null ? Math.max(0, to - hours * hourMs) : edgeInstant(first, 'from', utc)
  if (from > to) throw apiError('INVALID_WINDOW')
  if (to - from > hours * hourMs) throw apiError('WINDOW_TOO_LONG', { limit: `${hours} hours` })
  return { from, to }
}

const alertDoc: Doc = {
  group: 'Alerts',
  summary: 'Alert transitions of checks',
  description: 'Newest first. Ignores parameters that are not listed here.',
  query: alertParams,
  answer: { description: 'A page of them; empty past the end.', schema: { type: 'array', items: checkAlertSchema } },
  errors: ['INVALID_WINDOW', 'WINDOW_TOO_LONG', 'ALERTS_OFF'],
}
const oneCheckDoc: Doc = {
  ...alertDoc,
  summary: 'Alert transitions of a check',
  path: { id: idSchema },
  errors: ['INVALID_ID', 'CHECK_NOT_FOUND', 'INVALID_WINDOW', 'WINDOW_TOO_LONG', 'ALERTS_OFF'],
}
const notificationDoc: Doc = {
  group: 'Alerts',
  summary: 'Messages to channels',
  description: 'Newest first. Ignores parameters that are not listed here.',
  query: notificationParams,
  answer: { description: 'A page of them; empty past the end.', schema: { type: 'array', items: alertNotificationSchema } },
  errors: ['INVALID_WINDOW', 'WINDOW_TOO_LONG', 'ALERTS_OFF'],
}
