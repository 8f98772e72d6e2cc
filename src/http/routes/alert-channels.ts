import type { FastifyRequest } from 'fastify'
import type { Account } from '../../catalogue/catalogue.ts'
import { channelOf } from '../../catalogue/managed/channel-layer.ts'
import type { ManagedResource } from '../../catalogue/managed/resources.ts'
import { channelNumber } from '../../catalogue/policies/channels.ts'
import { exactRedactor } from '../../checks/probe/redact.ts'
import { isMapping } from '../../collections/mapping.ts'
import { apiError } from '../../errors.ts'
import { channelFromBody, alertChannelKind as kind, requireChannel } from '../../managed/resources/alert-channel.ts'
import { invalidDefinition } from '../../managed/writing.ts'
import { minuteMs } from '../../time.ts'
import { callerOf } from '../hooks/auth.ts'
import { createRequestCounter } from '../hooks/rate-limit.ts'
import { readParams } from '../input/params.ts'
import { fileChannelEntry, healthEntry, managedChannelEntry } from '../output/alert-channel-entry.ts'
import { alertChannelSchema, channelTestSchema } from '../reference/alert-schemas.ts'
import { alertChannelBody } from '../reference/policy-schemas.ts'
import { type Doc, managedChecks, type Routes, runningAlerts, unusedBodyErrors } from '../route.ts'
import { addResourceRoutes, numberId } from './resource-routes.ts'

const path = '/v1/alert-channels'
const testsPerMinute = 5

export const alertChannelRoutes: Routes = (app, deps) => {
  const { catalogue } = deps
  const count = createRequestCounter(deps.clock)

  const withHealth = <Entry extends { readonly channelId: string }>(account: Account, entries: readonly Entry[]) => {
    const health = new Map(deps.alerts?.health(account.id).map((each) => [each.channel, each]))
    const secrets = new Map(catalogue.policies(account.id).channels.map((channel) => [channel.id, channel.secrets]))
    return entries.map((entry) => ({ ...entry, health: healthEntry(health.get(entry.channelId), secrets.get(entry.channelId) ?? []) }))
  }
  const fileEntries = (account: Account) => {
    const policies = catalogue.policies(account.id)
    return policies.channels.filter(({ managed }) => !managed).map((channel) => fileChannelEntry(channel, account.id, policies))
  }
  const managedEntryOf = (resource: ManagedResource, request: FastifyRequest) => {
    const { account, key } = callerOf(request)
    const mayWrite = key.scopes.includes('write') || key.scopes.includes('admin')
    return managedChannelEntry(resource, { keyId: mayWrite ? key.id : null, checks: catalogue.checks(account.id) })
  }

  addResourceRoutes(app, deps, {
    path,
    kind,
    group: 'Alerts',
    plural: 'alert channels',
    schema: alertChannelSchema,
    body: {
      schema: alertChannelBody,
      example: { type: 'WEBHOOK', config: { name: 'Ops', url: 'https://hooks.example.com/tidemark' }, sendDegraded: true },
    },
    id: numberId,
    read(body, { account, current, request }) {
      requireOwnSubscriptions(body, current && managedEntryOf(current, request))
      const context = { account, catalogue, env: managedChecks(deps).env, current, keyId: callerOf(request).key.id }
      return { definition: channelFromBody(body, context) }
    },
    restore: (definition, { account }) => requireChannel(channelOf({ definition }), { account, catalogue, env: managedChecks(deps).env }),
    entry: (resource, request) => withHealth(callerOf(request).account, [managedEntryOf(resource, request)])[0],
    entries: (account, request) =>
      withHealth(account, [
        ...fileEntries(account),
        ...(deps.managed?.resources.list(account, kind) ?? []).map((resource) => managedEntryOf(resource, request)),
      ]),
    otherEntry: (account, id) => withHealth(account, fileEntries(account)).find((entry) => String(entry.id) === id),
    errors: ['DEFINED_IN_FILE'],
  })

  app.post(`${path}/:id/test`, { bodyLimit: 1024, config: { access: 'operate', doc: testDoc } }, async (request) => {
    readParams({}, request.query)
    const { account } = callerOf(request)
    const { id } = request.params as { readonly id: string }
    const channel = catalogue.policies(account.id).channels.find((one) => one.id === id || String(channelNumber(account.id, one.id)) === id)
    const alerts = runningAlerts(deps)
    if (!channel) throw apiError('CHANNEL_NOT_FOUND')
    const { exceeded } = count(account.id, testsPerMinute, minuteMs)
    if (exceeded) throw exceeded
    const tested = await alerts.test(account.id, channel.id)
    if (!tested) throw apiError('CHANNEL_NOT_FOUND')
    return { outcome: tested.outcome, answer: exactRedactor(channel.secrets)(tested.answer) }
  })
}

/** Subscriptions belong to checks, so the body of a channel may only repeat its current ones. */
function requireOwnSubscriptions(body: unknown, entry: ReturnType<typeof managedChannelEntry> | null): void {
  const sent = isMapping(body) && Array.isArray(body.subscriptions) ? body.subscriptions : []
  const own = new Set((entry?.subscriptions ?? []).map(({ checkId, activated }) => JSON.stringify([checkId, activated])))
  if (sent.every((one) => isMapping(one) && own.has(JSON.stringify([one.checkId, one.activated ?? true])))) return
  const message = `subscriptions are changed with PUT ${path}/{id}/subscriptions, or with alertChannelSubscriptions of a check`
  throw invalidDefinition([{ pointer: '/subscriptions', message }])
}

const testDoc: Doc = {
  group: 'Alerts',
  summary: 'Send a test message to a channel',
  description: `Sends one message now; at most ${testsPerMinute} a minute per account.`,
  path: { id: { type: 'string', description: 'The channelId of a channel of your account, or its id.' } },
  query: {},
  answer: {
    description: 'The outcome: delivered, retry or broken; and the response of the channel.',
    schema: channelTestSchema,
    example: { outcome: 'delivered', answer: '200 ok' },
  },
  errors: ['CHANNEL_NOT_FOUND', 'RATE_LIMITED', 'ALERTS_OFF', ...unusedBodyErrors],
}
