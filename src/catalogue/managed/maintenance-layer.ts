import type { DefinitionFault } from '../../checks/wire-reader.ts'
import { maintenanceFindings, toMaintenance } from '../policies/maintenance.ts'
import type { MaintenancePolicy } from '../policies/policies.ts'
import { jsonPointer } from '../wire/pointers.ts'
import type { WrittenDefinition } from '../written-definition.ts'
import { policyLayer } from './policy-layer.ts'
import type { ManagedResource } from './resources.ts'

export const windowKind = 'maintenance-window'

type ParsedWindow = { readonly policy: MaintenancePolicy } | { readonly faults: readonly DefinitionFault[] }

/** Parses a managed window as an entry of `maintenance:`. Windows select checks by tags. */
export function parseWindow(definition: WrittenDefinition): ParsedWindow {
  const findings = maintenanceFindings(definition, [], () => [])
  if (findings.length > 0) return { faults: findings.map(({ path, text }) => ({ pointer: jsonPointer(path), message: text })) }
  return { policy: toMaintenance(definition as Parameters<typeof toMaintenance>[0]) }
}

/** Managed windows follow those of the config file. */
export const maintenanceLayer = policyLayer(windowKind, (policies, own) => ({
  ...policies,
  maintenance: [...policies.maintenance, ...own.flatMap(policiesOf)],
}))

/** Memoized, because `currentMaintenance` caches by policy object. */
const parsed = new WeakMap<ManagedResource, readonly MaintenancePolicy[]>()

function policiesOf(window: ManagedResource): readonly MaintenancePolicy[] {
  const known = parsed.get(window)
  if (known) return known
  const found = parseWindow(window.definition)
  const policies = 'policy' in found ? [{ ...found.policy, isManaged: true }] : []
  parsed.set(window, policies)
  return policies
}
