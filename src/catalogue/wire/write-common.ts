import { minuteMs } from '../../time.ts'
import { type Check, targetOf } from '../catalogue.ts'
import type { CheckEntry } from '../config-file/config-schema.ts'
import { writeAlertSettings } from './alert-settings.ts'
import { writeRetryStrategy } from './retry-strategy.ts'

/** The fields of bodies for checks of all types. Clients in Go take whole numbers only. */
export function writeCommon(check: Omit<Check, 'createdAt' | 'updatedAt'>, shown: Readonly<Record<string, unknown>>) {
  const { description, clientFields } = shown as Pick<CheckEntry, 'description' | 'clientFields'>
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
    groupId: null,
    groupOrder: null,
    request: targetOf(check),
    runParallel: check.runParallel,
    retryStrategy: writeRetryStrategy(check),
    doubleCheck: false,
    degradedResponseTime: whole(check.degradedResponseTimeMs),
    maxResponseTime: whole(check.maxResponseTimeMs),
    ...writeAlertSettings(clientFields),
    alertChannelSubscriptions: [],
    runtimeId: clientFields?.runtimeId ?? null,
    triggerIncident: null,
    setupSnippetId: null,
    tearDownSnippetId: null,
    localSetupScript: null,
    localTearDownScript: null,
  }
}

/** Clients send 0 for no limit. */
const whole = (ms: number | null) => Math.round(ms ?? 0) || null
