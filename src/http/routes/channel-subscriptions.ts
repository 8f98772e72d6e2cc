import type { ClientFields } from '../../catalogue/config-file/config-schema.ts'
import type { WrittenDefinition } from '../../catalogue/written-definition.ts'
import { apiError } from '../../errors.ts'
import { alertChannelKind } from '../../managed/resources/alert-channel.ts'
import { readResourceBody } from '../../managed/resources/read-resource-body.ts'
import { invalidDefinition } from '../../managed/writing.ts'
import { readParams } from '../input/params.ts'
import { definitionErrors, writeErrors, writeParams, writingOf } from '../input/write-check.ts'
import { dryRunAnswer, faultyAnswer } from '../output/dry-run.ts'
import { dryRunSchema } from '../reference/managed-schemas.ts'
import { subscriptionBody, subscriptionSchema } from '../reference/policy-schemas.ts'
import { callerOf, type Doc, managedChecks, type Routes } from '../route.ts'
import { numberId } from './resource-routes.ts'

/** Subscribes a check to a managed channel. It is part of the check: those of the config file have rules there. */
export const channelSubscriptionRoutes: Routes = (app, deps) => {
  app.put('/v1/alert-channels/:id/subscriptions', { bodyLimit: 4096, config: { access: 'write', doc } }, async (request) => {
    const { dryRun } = readParams(writeParams, request.query)
    const { id } = request.params as { readonly id: string }
    const managed = managedChecks(deps)
    if (!managed.resources.find(callerOf(request).account, alertChannelKind, id))
      throw apiError('RESOURCE_NOT_FOUND', { noun: 'alert channel' })
    const { checkId, activated } = readResourceBody(request.body, (body) => {
      body.ignore('id', 'alertChannelId')
      if ((body.raw('groupId') ?? null) !== null)
        body.fault('groupId', 'groupId: alertChannelSubscriptions of a check group subscribe its checks')
      return { checkId: body.text('checkId', 128), activated: body.flag('activated') ?? true }
    })
    if (checkId === undefined) throw invalidDefinition([{ pointer: '/checkId', message: 'checkId is missing' }])
    const change = (definition: WrittenDefinition) => withSubscription(definition, { alertChannelId: Number(id), activated })
    const written = managed.change(writingOf(request, dryRun), { id: checkId, precondition: null, action: 'update', change })
    if (dryRun) return written.then(dryRunAnswer, faultyAnswer)
    await written
    return { alertChannelId: Number(id), checkId, groupId: null, activated }
  })
}

type Subscription = NonNullable<ClientFields['alertChannelSubscriptions']>[number]

function withSubscription(definition: WrittenDefinition, subscription: Subscription): WrittenDefinition {
  const clientFields = (definition.clientFields ?? {}) as ClientFields
  const all = clientFields.alertChannelSubscriptions ?? []
  const isSame = ({ alertChannelId }: Subscription) => alertChannelId === subscription.alertChannelId
  const next = all.some(isSame) ? all.map((one) => (isSame(one) ? subscription : one)) : [...all, subscription]
  return { ...definition, clientFields: { ...clientFields, alertChannelSubscriptions: next } }
}

const doc: Doc = {
  group: 'Alerts',
  summary: 'Subscribe a check to a managed channel',
  description:
    'The check is changed by it, as by alertChannelSubscriptions of its body: it gets another version. A check of the config file has rules in the file.',
  path: { id: numberId.schema },
  query: writeParams,
  body: {
    description: 'Which check, and whether the channel is notified of it.',
    mediaType: 'application/json',
    schema: subscriptionBody,
    example: { checkId: 'shop', activated: true },
  },
  answer: { description: 'The subscription.', schema: { anyOf: [subscriptionSchema, dryRunSchema] } },
  errors: ['RESOURCE_NOT_FOUND', ...writeErrors, 'DEFINITIONS_TOO_LONG', ...definitionErrors],
}
