import { type AgentKey, fileLocationId, locationOf } from '../../catalogue/managed/location-layer.ts'
import type { ManagedResource } from '../../catalogue/managed/resources.ts'
import { writePrivateLocation } from '../../catalogue/wire/private-location.ts'
import type { AgentRegistry } from '../../locations/agent-registry.ts'
import { isoText } from '../../time.ts'

type Agents = Pick<AgentRegistry, 'agents'>

export function locationEntry(location: ManagedResource, agents: Agents) {
  const { account, id, definition, createdAt, updatedAt } = location
  const { slugName, keys } = locationOf(location)
  return {
    id,
    ...writePrivateLocation(definition),
    keys: keys.map(keyEntry),
    ...seen(agents, account, slugName),
    created_at: isoText(createdAt),
    updated_at: isoText(updatedAt),
  }
}

/** A location whose keys are in the config file. */
export function fileLocationEntry(account: string, location: string, agents: Agents) {
  return {
    id: fileLocationId(account, location),
    ...writePrivateLocation({ name: location, slugName: location }),
    keys: [],
    ...seen(agents, account, location),
    created_at: null,
    updated_at: null,
  }
}

export function keyEntry({ id, createdAt }: AgentKey) {
  const at = isoText(createdAt)
  return { id, maskedKey: `tdm_${id}_•••`, created_at: at, updated_at: at }
}

function seen(agents: Agents, account: string, location: string) {
  const known = agents.agents({ account, location })
  const lastAt = Math.max(...known.map(({ lastContact }) => lastContact))
  return {
    lastSeen: known.length === 0 ? null : isoText(lastAt),
    agentCount: known.filter(({ state }) => state === 'live').length,
  }
}
