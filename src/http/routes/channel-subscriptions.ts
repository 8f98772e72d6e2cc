import type { ClientFields } from '../../catalogue/config-file/config-schema.ts'
import type { WrittenDefinition } from '../../catalogue/written-definition.ts'
import type { WireReader } from '../../checks/wire-reader.ts'
import { apiError } from '../../errors.ts'
import type { ManagedChecks } from '../../managed/managed-checks.ts'
import { alertChannelKind } from '../../managed/resources/alert-channel.ts'
import { checkGroups } from '../../managed/resources/check-groups.ts'
import { readResourceBody } from '../../managed/resources/read-resource-body.ts'
import { requireUnbroken } from '../../managed/user-judge.ts'
import { invalidDefinition, type Writing, type Written } from '../../managed/writing.ts'
import { callerOf } from '../hooks/auth.ts'
import { readParams } from '../input/params.ts'
import { definitionErrors, writeErrors, writeParams, writingOf } from '../input/write-check.ts'
import { dryRunAnswer, faultyAnswer } from '../output/dry-run.ts'
import { dryRunSchema } from '../reference/managed-schemas.ts'
import { alertChannelSubscriptionBody, alertChannelSubscriptionSchema } from '../reference/policy-schemas.ts'
import { type Doc, managedChecks, type Routes } from '../route.ts'
import { numberId } from './resource-routes.ts'

/** The subscription is stored in the check or group, so both must be managed. Checks of the config file have alert rules there. */
export const channelSubscriptionRoutes: Routes = (app, deps) => {
  app.put('/v1/alert-channels/:id/subscriptions', { bodyLimit: 4096, config: { access: 'write', doc } }, async (request) => {
    const { dryRun } = readParams(writeParams, request.query)
    const { id } = request.params as { readonly id: string }
    const managed = managedChecks(deps)
    if (!managed.resources.find(callerOf(request).account, alertChannelKind, id))
      throw apiError('RESOURCE_NOT_FOUND', { noun: 'alert channel' })
    const { checkId, groupId, activated } = readResourceBody(request.body, readSubscription)
    const writing = writingOf(request, dryRun)
    const change = (definition: WrittenDefinition) => withSubscription(definition, { alertChannelId: Number(id), activated })
    const written =
      checkId === null
        ? changeGroup(managed, writing, groupId, change)
        : managed.change(writing, { id: checkId, precondition: null, action: 'update', change })
    if (dryRun) return written.then(dryRunAnswer, faultyAnswer)
    await written
    return { alertChannelId: Number(id), checkId, groupId, activated }
  })
}

type Subscribed = { readonly checkId: string; readonly groupId: null } | { readonly checkId: null; readonly groupId: number }

function readSubscription(body: WireReader): Subscribed & { readonly activated: boolean } {
  body.ignore('id', 'alertChannelId')
  const checkId = body.text('checkId', 128) ?? null
  const groupId = body.number('groupId') ?? null
  const activated = body.flag('activated') ?? true
  if (checkId !== null && groupId === null) return { checkId, groupId, activated }
  if (checkId !== null || groupId === null) body.fault('checkId', 'either checkId or groupId must be given')
  return { checkId: null, groupId: groupId ?? 0, activated }
}

/** Subscribing a group subscribes each of its checks. */
async function changeGroup(
  managed: ManagedChecks,
  writing: Writing,
  groupId: number,
  change: (definition: WrittenDefinition) => WrittenDefinition,
): Promise<Written> {
  const written = await managed.resources.replace(writing, checkGroups, {
    id: String(groupId),
    precondition: null,
    change: async (current) => {
      const definition = change(current.definition)
      await requireUnbroken(managed.judgeUsers, writing.account, { current, definition })
      return definition
    },
  })
  await managed.settled()
  return written
}

const maxSubscriptions = 100

type Subscription = NonNullable<ClientFields['alertChannelSubscriptions']>[number]

function withSubscription(definition: WrittenDefinition, subscription: Subscription): WrittenDefinition {
  const clientFields = (definition.clientFields ?? {}) as ClientFields
  const all = clientFields.alertChannelSubscriptions ?? []
  const isSame = ({ alertChannelId }: Subscription) => alertChannelId === subscription.alertChannelId
  const next = all.some(isSame) ? all.map((one) => (isSame(one) ? subscription : one)) : [...all, subscription]
  if (next.length > maxSubscriptions)
    throw invalidDefinition([{ pointer: '', message: `at most ${maxSubscriptions} channels can be notified of a check or group` }])
  return { ...definition, clientFields: { ...clientFields, alertChannelSubscriptions: next } }
}

const doc: Doc = {
  group: 'Alerts',
  summary: 'Subscribe a check or a group to a managed channel',
  description:
    'With either `checkId` or `groupId`. Changes it like alertChannelSubscriptions of its body, with a new version. A group covers its checks. Checks in the config file use rules in the file.',
  path: { id: numberId.schema },
  query: writeParams,
  body: {
    description: 'The check or group, and whether to notify the channel.',
    mediaType: 'application/json',
    schema: alertChannelSubscriptionBody,
    example: { checkId: 'shop', activated: true },
  },
  answer: { description: 'The subscription.', schema: { anyOf: [alertChannelSubscriptionSchema, dryRunSchema] } },
  errors: [
    'RESOURCE_NOT_FOUND',
    ...writeErrors,
    'DEFINITIONS_TOO_LONG',
    'RESOURCES_TOO_LONG',
    'BULK_CHANGE_UNDER_WAY',
    ...definitionErrors,
  ],
}
