import { parseWindow, windowKind } from '../../catalogue/managed/maintenance-layer.ts'
import { readMaintenanceWindow, windowPointers } from '../../catalogue/wire/maintenance-window.ts'
import { renamedPointer } from '../../catalogue/wire/pointers.ts'
import type { WrittenDefinition } from '../../catalogue/written-definition.ts'
import { invalidDefinition } from '../writing.ts'
import { readResourceBody } from './read-resource-body.ts'
import type { ResourceKind } from './resource-kind.ts'

/** The limits bound the calendar arithmetic. */
export const maintenanceWindowKind: ResourceKind = {
  kind: windowKind,
  noun: 'maintenance window',
  limit: { count: 200, characters: 2 ** 20 },
  maxLength: 16_384,
  shown: (definition) => definition,
}

export const windowFromBody = (body: unknown) => requireWindow(readResourceBody(body, readMaintenanceWindow))

/** Returns the definition; throws with its faults. */
export function requireWindow(definition: WrittenDefinition): WrittenDefinition {
  const parsed = parseWindow(definition)
  if ('policy' in parsed) return definition
  throw invalidDefinition(parsed.faults.map(({ pointer, message }) => ({ pointer: renamedPointer(pointer, windowPointers), message })))
}
