import { randomUUID } from 'node:crypto'
import type { Catalogue } from '../../catalogue/catalogue.ts'
import { locationOf } from '../../catalogue/managed/location-layer.ts'
import type { Env } from '../../config.ts'
import { alertChannelKind, channelFromBody } from '../resources/alert-channel.ts'
import { maintenanceWindowKind, windowFromBody } from '../resources/maintenance-window.ts'
import type { ManagedResources } from '../resources/managed-resources.ts'
import { locationFromBody, privateLocationKind, requireUnused } from '../resources/private-location.ts'
import { createManagedWriter } from './managed-writer.ts'
import type { DeployState, ResourceWriter } from './resource-writer.ts'
import { ResourceFaults } from './sent-resource.ts'

export type PolicyWriterOptions = { readonly resources: ManagedResources; readonly catalogue: Catalogue; readonly env: Env }

/** Write the private locations, maintenance windows and alert channels of a project. */
export function createPolicyWriters({ resources, catalogue, env }: PolicyWriterOptions): readonly ResourceWriter[] {
  return [
    createLocationWriter({ resources, catalogue }),
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

/** A deployed location has no agent key, since nobody would see it: create one over the API. */
function createLocationWriter({ resources, catalogue }: Pick<PolicyWriterOptions, 'resources' | 'catalogue'>): ResourceWriter {
  /** The location names of each plan, to reject duplicates; keyed by an object unique to the plan. */
  const names = new WeakMap<DeployState['own'], Set<string>>()
  return createManagedWriter({
    type: 'private-location',
    kind: privateLocationKind,
    resources,
    async read({ payload }, { account, own }, current) {
      const definition = locationFromBody(payload, { account, catalogue, current, newKey: null, except: own })
      const { slugName } = locationOf({ definition })
      const taken = names.get(own) ?? new Set()
      names.set(own, taken)
      if (taken.has(slugName)) throw new ResourceFaults([{ pointer: '/slugName', message: `another location has the name ${slugName}` }])
      taken.add(slugName)
      return { id: randomUUID(), definition }
    },
    guard: async (location, { account, own }) => requireUnused(location, { account, catalogue, except: own }),
  })
}
