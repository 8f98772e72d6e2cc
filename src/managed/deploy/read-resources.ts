import { isMapping } from '../../collections/mapping.ts'
import type { FaultyResource, ProjectFaults } from './project-faults.ts'
import { memberKey, type ProjectMember } from './project-kind.ts'
import { createRelations, isRelation } from './relations.ts'
import type { SentResource } from './sent-resource.ts'

/** A resource with its index in the request. */
type PlacedResource = FaultyResource & { readonly resource: SentResource }

/** Parses the resources of a project. */
export async function readResources(texts: readonly string[], { isSupported, faults, pause }: ReadContext) {
  const byType = new Map<string, PlacedResource[]>()
  const known = new Map<string, PlacedResource>()
  /** Resources that the project refers to but does not own. */
  const others = new Map<string, ProjectMember['physicalId']>()

  function problemOf(resource: SentResource | null): string | null {
    if (!resource) return 'a resource must have type, logicalId and payload'
    const { type } = resource
    if (!isSupported(type) && !isRelation(type)) return `resources of type ${type} are not supported`
    return known.has(memberKey(resource)) ? 'there is another resource of this type with the same logicalId' : null
  }

  for (const [index, text] of texts.entries()) {
    await pause()
    const value: unknown = JSON.parse(text)
    const resource = resourceIn(value)
    const place = { index, name: resource ? `${resource.type} ${resource.logicalId}` : '' }
    const problem = problemOf(resource)
    if (problem !== null) faults.add(place, [{ pointer: '', message: problem }])
    if (!resource || problem !== null) continue
    const placed = { ...place, resource }
    known.set(memberKey(resource), placed)
    const physicalId = isMapping(value) && value.member === false ? value.physicalId : null
    if (typeof physicalId === 'string' || typeof physicalId === 'number') {
      others.set(memberKey(resource), physicalId)
      continue
    }
    const ofType = byType.get(resource.type) ?? []
    byType.set(resource.type, ofType)
    ofType.push(placed)
  }

  const relations = createRelations()
  for (const { resource, ...place } of [...byType].flatMap(([type, ofType]) => (isRelation(type) ? ofType : []))) {
    await pause()
    await faults.collect(place, async () => relations.add(resource, (reference) => known.has(memberKey(reference))))
  }
  return { ofType: (type: string): readonly PlacedResource[] => byType.get(type) ?? [], others, relations }
}

type ReadContext = {
  readonly isSupported: (type: string) => boolean
  readonly faults: ProjectFaults
  readonly pause: () => Promise<void> | undefined
}

const maxTypeLength = 100
const maxIdLength = 512

/** A resource that the project does not own has no payload. */
function resourceIn(value: unknown): SentResource | null {
  if (!isMapping(value)) return null
  const { type, logicalId } = value
  const payload = value.member === false ? (value.payload ?? {}) : value.payload
  const isText = (text: unknown, maxLength: number): text is string => typeof text === 'string' && text !== '' && text.length <= maxLength
  return isText(type, maxTypeLength) && isText(logicalId, maxIdLength) && isMapping(payload) ? { type, logicalId, payload } : null
}
