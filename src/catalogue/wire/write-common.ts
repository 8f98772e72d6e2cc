import { minuteMs } from '../../time.ts'
import { type Check, targetOf } from '../catalogue.ts'
import type { CheckEntry } from '../config-file/config-schema.ts'
import { writeAlertSettings } from './alert-settings.ts'
import { writeRetryStrategy } from './retry-strategy.ts'

/** The body fields of all check types. Numbers are integers, because clients in Go accept no others. */
export function writeCommon(given: Written, shown: Readonly<Record<string, unknown>>) {
  const { description, clientFields } = shown as Pick<CheckEntry, 'description' | 'clientFields'>
  const isGrouped = typeof shown.groupId === 'number'
  const check = isGrouped ? ownPart(given, shown) : given
  const { checkType, everyMs, locations, agentLocations } = check
  return {
    id: check.id,
    name: check.name,
    description: description ?? null,
    checkType: checkType.type,
    activated: check.activated,
    muted: check.muted,
    frequency: Math.floor(everyMs / minuteMs),
    frequencyOffset: everyMs < minuteMs && !checkType.pingSettings ? Math.floor(everyMs / 1000) : null,
    locations: locations.filter((location) => !agentLocations.includes(location)),
    privateLocations: agentLocations,
    tags: check.tags,
    groupId: isGrouped ? shown.groupId : null,
    groupOrder: clientFields?.groupOrder ?? null,
    request: targetOf(check),
    runParallel: check.runParallel,
    retryStrategy: isGrouped && shown.retry === undefined ? 'FALLBACK' : writeRetryStrategy(check),
    doubleCheck: false,
    degradedResponseTime: whole(check.degradedResponseTimeMs),
    maxResponseTime: whole(check.maxResponseTimeMs),
    ...writeAlertSettings(clientFields),
    alertChannelSubscriptions: clientFields?.alertChannelSubscriptions ?? [],
    runtimeId: clientFields?.runtimeId ?? null,
    triggerIncident: null,
    setupSnippetId: null,
    tearDownSnippetId: null,
    localSetupScript: null,
    localTearDownScript: null,
  }
}

type Written = Omit<Check, 'createdAt' | 'updatedAt'>

/** Only the check's own values: clients would send inherited values back as its own. */
function ownPart(check: Written, shown: Readonly<Record<string, unknown>>): Written {
  const own = <T>(name: string, value: T, otherwise: T): T => (shown[name] === undefined || shown[name] === null ? otherwise : value)
  return {
    ...check,
    activated: own('activated', check.activated, true),
    muted: own('muted', check.muted, false),
    tags: own('tags', check.tags, []),
    locations: own('locations', check.locations, []),
    agentLocations: own('locations', check.agentLocations, []),
    everyMs: check.checkType.pingSettings ? check.everyMs : own('frequency', check.everyMs, 10 * minuteMs),
    runParallel: own('runParallel', check.runParallel, false),
    retry: own('retry', check.retry, null),
    degradedResponseTimeMs: own('degradedResponseTime', check.degradedResponseTimeMs, null),
    maxResponseTimeMs: own('maxResponseTime', check.maxResponseTimeMs, null),
  }
}

/** Clients send 0 for no limit, which is null in a response. */
const whole = (ms: number | null) => Math.round(ms ?? 0) || null
