import type { CheckType } from '../../checks/define.ts'
import { isMapping } from '../../collections/mapping.ts'
import { uuidOf } from '../../ids/uuid.ts'
import type { AccountEntry } from '../config-file/config-schema.ts'
import { duplicatesOf } from '../config-file/duplicates.ts'
import type { Finding, Path } from '../config-file/faults.ts'
import { lookupCheck, type PolicyEntry } from './fields.ts'
import type { KnownCheck } from './latency-metric.ts'
import { maintenanceFindings, toMaintenance } from './maintenance.ts'
import type { SchedulePolicies } from './policies.ts'
import { serviceHoursFindings, toServiceHours } from './service-hours.ts'
import { sloFindings, toSlo } from './slo.ts'

/** Validates the schedules and SLOs of a file that may have other faults. */
export function scheduleFindings(file: unknown, checkTypes: readonly CheckType[]): readonly Finding[] {
  return mappings(file, 'accounts', []).flatMap(({ entry, path }) => accountFindings(entry, path, checkTypes))
}

/** The policies of an account without findings. */
export function schedulePoliciesOf({ maintenance, serviceHours, slos }: AccountEntry): SchedulePolicies {
  return {
    maintenance: accepted<typeof toMaintenance>(maintenance).map(toMaintenance),
    serviceHours: accepted<typeof toServiceHours>(serviceHours).map(toServiceHours),
    slos: accepted<typeof toSlo>(slos).map(toSlo),
  }
}

/** All checks of an account, including invalid ones. */
export function knownChecks(account: PolicyEntry, checkTypes: readonly CheckType[]): readonly KnownCheck[] {
  return mappings(account, 'checks', []).map(({ entry: { id, name, type, tags } }) => ({
    id: typeof id === 'string' ? id : uuidOf([String(account.id), String(name)]),
    tags: Array.isArray(tags) ? tags.filter((tag) => typeof tag === 'string') : [],
    checkType: checkTypes.find((checkType) => checkType.type === type),
  }))
}

function accountFindings(account: PolicyEntry, path: Path, checkTypes: readonly CheckType[]): readonly Finding[] {
  const checks = knownChecks(account, checkTypes)
  const checkId = lookupCheck(checks.map(({ id }) => id))
  const serviceHours = mappings(account, 'serviceHours', path)
  const slos = mappings(account, 'slos', path)
  return [
    ...mappings(account, 'maintenance', path).flatMap(({ entry, path: place }) => maintenanceFindings(entry, place, checkId)),
    ...serviceHours.flatMap(({ entry, path: place }) => serviceHoursFindings(entry, place)),
    ...slos.flatMap(({ entry, path: place }) => sloFindings(entry, place, { checks, checkTypes, checkId })),
    ...duplicates(serviceHours, 'name'),
    ...duplicates(slos, 'id'),
  ]
}

export function duplicates(list: readonly Placed[], field: 'id' | 'name'): readonly Finding[] {
  const named = list.filter(({ entry }) => typeof entry[field] === 'string')
  return duplicatesOf(
    `the ${field}`,
    named.map(({ entry, path }) => ({ path: [...path, field], value: String(entry[field]) })),
  )
}

export type Placed = { readonly entry: PolicyEntry; readonly path: Path }

/** The mappings in a list. The schema of the file reports other entries. */
export function mappings(owner: unknown, name: string, path: Path): readonly Placed[] {
  const list = isMapping(owner) && Array.isArray(owner[name]) ? owner[name] : []
  return list.flatMap((entry: unknown, index) => (isMapping(entry) ? [{ entry, path: [...path, name, index] }] : []))
}

/** Called only for lists without findings, so that their entries match the schema that the conversion expects. */
export function accepted<Convert extends (entry: never) => unknown>(
  list: readonly unknown[] | undefined,
): readonly Parameters<Convert>[0][] {
  return (list ?? []) as readonly Parameters<Convert>[0][]
}
