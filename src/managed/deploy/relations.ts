import type { Account } from '../../catalogue/catalogue.ts'
import { fileLocationId, locationKind, locationOf } from '../../catalogue/managed/location-layer.ts'
import { isMapping } from '../../collections/mapping.ts'
import type { PlanView } from '../plan-checks.ts'
import { memberKey, type ProjectMember } from './project-kind.ts'
import { ResourceFaults, type SentResource } from './sent-resource.ts'

type Reference = Pick<ProjectMember, 'type' | 'logicalId'>

/** The private locations and alert channels of a check or group. */
export type Relations = {
  readonly locations: readonly Reference[]
  readonly subscriptions: readonly { readonly channel: Reference; readonly activated: boolean }[]
}

const nothing: Relations = { locations: [], subscriptions: [] }

type Relation = { readonly owner: Reference; readonly related: Relations }

const ownerFields = { checkId: 'check', groupId: 'check-group' } as const

/** Clients send relations as separate resources; here they are part of the check or group. */
const readers: Readonly<Record<string, (resource: SentResource) => Relation>> = {
  'private-location-check-assignment': assignment,
  'private-location-group-assignment': assignment,
  'alert-channel-subscription': (resource) => ({
    owner: ownerOf(resource),
    related: {
      locations: [],
      subscriptions: [
        { channel: referenceIn(resource, 'alertChannelId', 'alert-channel'), activated: resource.payload.activated !== false },
      ],
    },
  }),
}

function assignment(resource: SentResource): Relation {
  const location = referenceIn(resource, 'privateLocationId', 'private-location')
  return { owner: ownerOf(resource), related: { locations: [location], subscriptions: [] } }
}

function ownerOf(resource: SentResource): Reference {
  const [field, type] =
    Object.entries(ownerFields).find(([name]) => isMapping(resource.payload[name])) ?? (['checkId', ownerFields.checkId] as const)
  return referenceIn(resource, field, type)
}

function referenceIn({ payload }: SentResource, field: string, type: string): Reference {
  const given = payload[field]
  if (isMapping(given) && typeof given.ref === 'string') return { type, logicalId: given.ref }
  throw new ResourceFaults([{ pointer: `/${field}`, message: `${field} must refer to a ${type} of the project` }])
}

/** The payload of a check or group with its alert channel subscriptions. */
export function withSubscriptions(payload: SentResource['payload'], { relations, idOf }: RelationState): SentResource['payload'] {
  if (relations.subscriptions.length === 0) return payload
  const given = Array.isArray(payload.alertChannelSubscriptions) ? payload.alertChannelSubscriptions : []
  const related = relations.subscriptions.map(({ channel, activated }) => ({
    alertChannelId: idOf(channel.type, channel.logicalId),
    activated,
  }))
  return { ...payload, alertChannelSubscriptions: [...given, ...related] }
}

/** The payload of a check or group with the names of its private locations. */
export function withLocations(payload: SentResource['payload'], state: LocationState): SentResource['payload'] {
  const { locations } = state.relations
  if (locations.length === 0) return payload
  const given = Array.isArray(payload.privateLocations) ? payload.privateLocations : []
  return { ...payload, privateLocations: [...new Set([...given, ...locations.map((location) => nameOf(location, state))])] }
}

type LocationState = RelationState & { readonly account: Account; readonly view: PlanView }

function nameOf({ type, logicalId }: Reference, { account, view, idOf }: LocationState): string {
  const id = String(idOf(type, logicalId))
  const managed = view.resources.find({ kind: locationKind, account: account.id, id })
  if (managed) return locationOf(managed).slugName
  const ofFile = view.catalogue.agentLocations(account.id).find((name) => fileLocationId(account.id, name) === id)
  if (ofFile !== undefined) return ofFile
  throw new ResourceFaults([{ pointer: '/privateLocations', message: `there is no ${type} ${logicalId.slice(0, 100)}` }])
}

type RelationState = { readonly relations: Relations; idOf(type: string, logicalId: string): ProjectMember['physicalId'] | undefined }

export const isRelation = (type: string) => Object.hasOwn(readers, type)

export function createRelations() {
  const byOwner = new Map<string, Relations>()
  const of = (resource: Reference): Relations => byOwner.get(memberKey(resource)) ?? nothing
  return {
    of,
    /** Throws `ResourceFaults` on a dangling reference. */
    add(resource: SentResource, has: (reference: Reference) => boolean): void {
      const { owner, related } = readers[resource.type]?.(resource) ?? { owner: resource, related: nothing }
      const missing = [owner, ...related.locations, ...related.subscriptions.map(({ channel }) => channel)].find((one) => !has(one))
      if (missing) throw new ResourceFaults([{ pointer: '', message: `there is no ${missing.type} ${missing.logicalId} in the project` }])
      const { locations, subscriptions } = of(owner)
      byOwner.set(memberKey(owner), {
        locations: [...locations, ...related.locations],
        subscriptions: [...subscriptions, ...related.subscriptions],
      })
    },
  }
}
