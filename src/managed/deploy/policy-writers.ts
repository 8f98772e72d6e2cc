import type { Catalogue } from '../../catalogue/catalogue.ts'
import type { Env } from '../../config.ts'
import { alertChannelKind, channelFromBody } from '../resources/alert-channel.ts'
import { maintenanceWindowKind, windowFromBody } from '../resources/maintenance-window.ts'
import type { ManagedResources } from '../resources/managed-resources.ts'
import { createManagedWriter } from './managed-writer.ts'
import type { ResourceWriter } from './resource-writer.ts'

export type PolicyWriterOptions = { readonly resources: ManagedResources; readonly catalogue: Catalogue; readonly env: Env }

/** Write the maintenance windows and alert channels of a project. */
export function createPolicyWriters({ resources, catalogue, env }: PolicyWriterOptions): readonly ResourceWriter[] {
  return [
    createManagedWriter({
      type: 'maintenance-window',
      kind: maintenanceWindowKind,
      resources,
      read: async ({ payload }) => ({ definition: windowFromBody(payload) }),
    }),
    createManagedWriter({
      type: 'alert-channel',
      kind: alertChannelKind,
      resources,
      read: async ({ payload }, { account, keyId }, current) => ({
        definition: channelFromBody(payload, { account, catalogue, env, current, keyId }),
      }),
    }),
  ]
}
