import type { CheckType } from '../../checks/define.ts'
import { present, shortDuration } from '../../checks/wire.ts'
import type { WireReader } from '../../checks/wire-reader.ts'
import { minuteMs } from '../../time.ts'
import { scheduledFieldNames } from '../config-file/config-schema.ts'
import { readAlertSettings, readSubscriptions } from './alert-settings.ts'
import { readRetryStrategy } from './retry-strategy.ts'

/** Ignored: fields of responses, and legacy fields that never affected runs. */
const meaningless = [
  'id',
  'accountId',
  'created_at',
  'updated_at',
  'createdAt',
  'updatedAt',
  'checkType',
  'definition',
  'effective',
  'sslCheck',
  'testOnly',
]

/** Reads the fields that all check types have. */
export function readCommon(body: WireReader, { type, pingSettings }: CheckType): Readonly<Record<string, unknown>> {
  body.ignore(...meaningless)
  if (body.flag('doubleCheck')) body.fault('doubleCheck', 'doubleCheck is not supported: use retryStrategy')
  const tags = body.texts('tags')
  return present<unknown>({
    name: body.text('name'),
    type,
    description: body.text('description'),
    activated: body.flag('activated') === false ? false : undefined,
    muted: body.flag('muted') || undefined,
    tags: tags.length > 0 ? tags : undefined,
    ...(pingSettings ? withoutSchedule(body) : readSchedule(body)),
    groupId: readGroupId(body),
    clientFields: readClientFields(body),
  })
}

function readSchedule(body: WireReader) {
  const locations = [...new Set([...body.texts('locations'), ...body.texts('privateLocations')])]
  return {
    frequency: readFrequency(body),
    locations: locations.length > 0 ? locations : undefined,
    retry: readRetryStrategy(body),
    runParallel: body.flag('runParallel') || undefined,
    degradedResponseTime: body.number('degradedResponseTime') || undefined,
    maxResponseTime: body.number('maxResponseTime') || undefined,
  }
}

/** Clients send these fields for every type, but ping checks have no schedule. */
function withoutSchedule(body: WireReader) {
  body.ignore(...scheduledFieldNames, 'frequencyOffset', 'privateLocations', 'retryStrategy')
  return {}
}

/** `frequency` is in minutes. Only if it is 0, `frequencyOffset` is the period in seconds. */
export function readFrequency(body: WireReader): string | undefined {
  const minutes = body.number('frequency') ?? 10
  const seconds = body.number('frequencyOffset') ?? 0
  const [name, ms] = minutes === 0 ? ['frequencyOffset', seconds * 1000] : ['frequency', minutes * minuteMs]
  if (Number.isInteger(ms) && ms > 0 && ms < 1e12) return shortDuration(ms)
  body.fault(name, minutes === 0 ? 'frequencyOffset must be the seconds between runs where frequency is 0' : 'frequency must be minutes')
  return undefined
}

function readGroupId(body: WireReader): number | undefined {
  const id = body.number('groupId') || undefined
  if (id !== undefined && !(Number.isSafeInteger(id) && id > 0)) body.fault('groupId', 'groupId must be the id of a check group')
  return id
}

function readClientFields(body: WireReader) {
  const runtimeId = body.text('runtimeId', 100)
  const groupOrder = body.number('groupOrder') || undefined
  const alertChannelSubscriptions = readSubscriptions(body)
  const fields = present<unknown>({ ...readAlertSettings(body), runtimeId, groupOrder, alertChannelSubscriptions })
  return Object.keys(fields).length > 0 ? fields : undefined
}
