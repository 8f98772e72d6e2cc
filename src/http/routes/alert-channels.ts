import { channelTypes } from '../../alerts/channels/registry.ts'
import type { ChannelHealth } from '../../alerts/outbox/alert-records.ts'
import { paging } from '../../analytics/plan.ts'
import { channelNumber, shownSettings } from '../../catalogue/policies/channels.ts'
import type { AlertRule, Channel, Policies } from '../../catalogue/policies/policies.ts'
import { exactRedactor } from '../../checks/probe/redact.ts'
import { apiError } from '../../errors.ts'
import { isoText, minuteMs } from '../../time.ts'
import { createRequestCounter } from '../hooks/rate-limit.ts'
import { readKnownParams, readParams } from '../input/params.ts'
import { pageParams } from '../input/window-params.ts'
import { rangeHeaders, setRangeHeaders } from '../output/page-headers.ts'
import { alertChannelSchema, channelTestSchema } from '../reference/schemas.ts'
import { callerOf, type Doc, type Routes, runningAlerts, unusedBodyErrors } from '../route.ts'

const doc: Doc = {
  group: 'Alerts',
  summary: 'The channels of the account',
  description: 'As the config file has them, in its order. Parameters that are not listed here are ignored.',
  query: pageParams,
  answer: {
    description:
      'A page of channels, without their secrets; past the end an empty one. created_at and updated_at are null: the config file says neither.',
    schema: { type: 'array', items: alertChannelSchema },
    headers: rangeHeaders,
  },
}

const testsPerMinute = 5

export const alertChannelRoutes: Routes = (app, deps) => {
  const { catalogue, basePath } = deps
  const count = createRequestCounter(deps.clock)
  app.get('/v1/alert-channels', { config: { access: 'read', doc } }, async (request, reply) => {
    const params = readKnownParams(pageParams, request.query)
    const { account } = callerOf(request)
    const policies = catalogue.policies(account.id)
    const { offset, limit } = paging(params)
    const page = policies.channels.slice(offset, offset + limit)
    setRangeHeaders(request, reply, { ...params, shown: page.length, total: policies.channels.length, basePath })
    const health = new Map(deps.alerts?.health(account.id).map((each) => [each.channel, each]))
    return page.map((channel) => ({
      ...describeChannel(channel, account.id, policies),
      health: healthEntry(health.get(channel.id), channel),
    }))
  })

  app.post('/v1/alert-channels/:id/test', { bodyLimit: 1024, config: { access: 'operate', doc: testDoc } }, async (request) => {
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

const testDoc: Doc = {
  group: 'Alerts',
  summary: 'Send a test message to a channel',
  description: `Once, now; at most ${testsPerMinute} a minute for an account.`,
  path: { id: { type: 'string', description: 'The channelId of a channel of your account, or its id.' } },
  query: {},
  answer: {
    description: 'What became of it: delivered, to be tried again, or broken; and what the channel answered.',
    schema: channelTestSchema,
    example: { outcome: 'delivered', answer: '200 ok' },
  },
  errors: ['CHANNEL_NOT_FOUND', 'RATE_LIMITED', 'ALERTS_OFF', ...unusedBodyErrors],
}

function healthEntry(health: ChannelHealth | undefined, { secrets }: Channel) {
  if (!health) return null
  const { state, since, lastAt, answer } = health
  return { state, since: isoText(since), lastAt: isoText(lastAt), answer: exactRedactor(secrets)(answer) }
}

/** The types that existing clients know; anything else is a webhook to them. */
const knownTypes: readonly string[] = ['EMAIL', 'SLACK', 'WEBHOOK', 'PAGERDUTY']

/** A channel as existing clients read it. */
export function clientChannel(channel: Channel) {
  const ownType = channel.type.toUpperCase()
  const isKnown = knownTypes.includes(ownType)
  return {
    type: isKnown ? ownType : 'WEBHOOK',
    config: {
      name: channel.id,
      ...addressOf(channel),
      ...(isKnown ? {} : { webhookType: `WEBHOOK_${ownType}` }),
      ...shownSettings(channel),
    },
  }
}

function describeChannel(channel: Channel, account: string, { alerts }: Policies) {
  const rules = alerts.filter(({ steps }) => steps.some(({ to }) => to.includes(channel.id)))
  const has = (...kinds: readonly AlertRule['when']['kind'][]) => rules.some(({ when }) => kinds.includes(when.kind))
  const days = rules.flatMap(({ when }) => (when.kind === 'certificate' ? when.days : []))
  return {
    id: channelNumber(account, channel.id),
    channelId: channel.id,
    name: channel.id,
    channelType: channel.type,
    ...clientChannel(channel),
    subscriptions: [],
    sendRecovery: rules.length > 0,
    sendFailure: has('failing', 'sloBurn', 'silent'),
    sendDegraded: has('degraded'),
    sslExpiry: has('certificate'),
    sslExpiryThreshold: Math.min(30, Math.max(1, ...(days.length === 0 ? [30] : days))),
    autoSubscribe: rules.some(({ checks, tags }) => checks.length === 0 && tags.length === 0),
    created_at: null,
    updated_at: null,
  }
}

function addressOf({ type, settings, secrets }: Channel): { readonly address?: string } {
  const channelType = channelTypes.find((one) => one.type === type)
  return channelType ? { address: exactRedactor(secrets)(channelType.address(settings)) } : {}
}
