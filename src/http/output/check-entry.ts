import { frequencyMinutes } from '../../analytics/report.ts'
import { type Check, targetOf } from '../../catalogue/catalogue.ts'

export function describeCheck(check: Check) {
  return {
    id: check.id,
    name: check.name,
    checkType: check.checkType.type,
    activated: check.activated,
    muted: check.muted,
    frequency: frequencyMinutes(check),
    locations: check.locations,
    tags: check.tags,
    groupId: check.managedVersion === undefined || check.origin.group === null ? null : Number(check.origin.group),
    request: targetOf(check),
    created_at: new Date(check.createdAt).toISOString(),
    updated_at: new Date(check.updatedAt).toISOString(),
  }
}
