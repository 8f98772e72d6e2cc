import { present } from '../../checks/wire.ts'
import type { WireReader } from '../../checks/wire-reader.ts'
import type { WrittenDefinition } from '../written-definition.ts'

/** What clients send and show; it has no meaning here. */
const defaultIcon = 'location'

/** A location that agents run checks at; `slugName` is what checks call it. */
export function readPrivateLocation(body: WireReader): WrittenDefinition {
  body.ignore('id', 'keys', 'lastSeen', 'agentCount', 'checkAssignments', 'groupAssignments')
  body.ignore('created_at', 'updated_at', 'createdAt', 'updatedAt')
  if (body.text('proxyUrl') !== undefined)
    body.fault('proxyUrl', 'proxyUrl is not supported: agents use HTTPS_PROXY of the machine that they run on')
  return present<unknown>({ name: body.text('name'), slugName: body.text('slugName'), icon: body.text('icon') })
}

/** The fields of a body for a location that was read from one. */
export function writePrivateLocation({ name, slugName, icon }: WrittenDefinition): WrittenDefinition {
  return { name, slugName, icon: icon ?? defaultIcon, proxyUrl: null }
}
