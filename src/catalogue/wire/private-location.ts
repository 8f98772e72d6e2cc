import { present } from '../../checks/wire.ts'
import type { WireReader } from '../../checks/wire-reader.ts'
import type { WrittenDefinition } from '../written-definition.ts'

/** Clients send and show an icon. It has no meaning here. */
const defaultIcon = 'location'

/** Checks refer to a location by its `slugName`. */
export function readPrivateLocation(body: WireReader): WrittenDefinition {
  body.ignore('id', 'keys', 'lastSeen', 'agentCount', 'checkAssignments', 'groupAssignments')
  body.ignore('created_at', 'updated_at', 'createdAt', 'updatedAt')
  if (body.text('proxyUrl') !== undefined) body.fault('proxyUrl', 'proxyUrl is not supported: agents use HTTPS_PROXY of their host')
  const icon = body.text('icon')
  return present<unknown>({ name: body.text('name'), slugName: body.text('slugName'), icon: icon === defaultIcon ? undefined : icon })
}

export function writePrivateLocation({ name, slugName, icon }: WrittenDefinition): WrittenDefinition {
  return { name, slugName, icon: icon ?? defaultIcon, proxyUrl: null }
}
