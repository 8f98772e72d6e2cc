import type { CheckDefinition } from '../../catalogue/definitions.ts'
import type { Resources } from '../../catalogue/managed/resources.ts'
import type { Vault } from '../../catalogue/managed/vault.ts'
import { fromWire, isSentWhole } from '../../catalogue/wire/index.ts'
import { bodyPointer } from '../../catalogue/wire/pointers.ts'
import type { WrittenDefinition } from '../../catalogue/written-definition.ts'
import type { CheckType } from '../../checks/define.ts'
import { isMapping } from '../../collections/mapping.ts'
import type { Documents } from '../../store/documents/documents.ts'
import type { CheckPlans } from '../plan-checks.ts'
import type { Removal } from '../remove-checks.ts'
import { sealCheck } from '../seal.ts'
import { isThere } from '../writing.ts'
import { withLocations, withSubscriptions } from './relations.ts'
import { asFaults, type DeployState, type ResourceWriter } from './resource-writer.ts'
import { ResourceFaults, type SentResource } from './sent-resource.ts'
import type { SharedFile } from './split-body.ts'

type Payload = SentResource['payload']

export type AllPlans = CheckPlans & Pick<Removal, 'planRemovals'>

type CheckWriterOptions = {
  readonly documents: Pick<Documents, 'head'>
  readonly plans: AllPlans
  readonly checkTypes: readonly CheckType[]
  readonly vault: Vault | null
}

export function createCheckWriter({ documents, plans, checkTypes, vault }: CheckWriterOptions): ResourceWriter {
  function typeOf({ checkType: given }: Payload): CheckType {
    const checkType = checkTypes.find(({ type }) => type === given)
    if (checkType) return checkType
    const types = checkTypes.map(({ type }) => type).join(', ')
    throw fault('/checkType', `checks of type ${String(given).slice(0, 100)} are not supported: checkType must be one of ${types}`)
  }

  return {
    type: 'check',
    async plan(resource, state) {
      const { account, view, current } = state
      const payload = withSubscriptions(withLocations(withGroup(withFiles(resource.payload, state.files), state), state), state)
      const checkType = typeOf(payload)
      const sealed = (definition: WrittenDefinition, previous?: WrittenDefinition) => sealCheck(definition, { account, vault, previous })
      const inPayload = (pointer: string) => bodyPointer(checkType, pointer)
      const head = current === null ? undefined : documents.head(plans.refOf(account, String(current)))
      if (!isThere(head)) {
        const write = await asFaults(() => plans.planCreate(account, sealed(definitionIn(checkType, payload)), { view }), inPayload)
        return { physicalId: write.change.id, isNew: true, write }
      }
      const { id } = head
      const change = (before: WrittenDefinition, now: CheckDefinition | null) =>
        sealed(replacing(checkType, payload, view.resources)(before, now), now?.written)
      const keepsHidden = (before: CheckDefinition) => !isSentWhole(checkType, payload, before, view.resources)
      const order = { id, action: 'update', change, keepsHidden } as const
      const write = await asFaults(() => plans.planChange(account, head, order, view), inPayload)
      const inFile = write && (await plans.definedInFile(account, id, ', as well as over the API'))
      if (inFile) throw fault('', inFile.message)
      return { physicalId: id, isNew: false, write }
    },
    removals(physicalIds, { account }) {
      const planRemoval = plans.planRemovals(account, physicalIds.map(String))
      return (physicalId) => asFaults(() => planRemoval(String(physicalId)))
    },
  }
}

/** Limit per check. Checks may share large files, so sizes are added up before anything is copied. */
const maxFilesLength = 262_144

const fault = (pointer: string, message: string) => new ResourceFaults([{ pointer, message }])

/** Imported files are sent once for all checks; payloads refer to them by index. */
function withFiles(payload: Payload, files: readonly SharedFile[]): Payload {
  const { dependencies } = payload
  if (!Array.isArray(dependencies)) return payload
  const unknown = dependencies.findIndex((index) => typeof index === 'number' && !files[index])
  if (unknown >= 0) throw fault(`/dependencies/${unknown}`, 'there is no such file in sharedFiles')
  const length = dependencies.reduce((sum: number, index) => sum + (typeof index === 'number' ? (files[index]?.content.length ?? 0) : 0), 0)
  if (length > maxFilesLength)
    throw fault('/dependencies', `the files that a script imports must have at most ${maxFilesLength} characters`)
  return { ...payload, dependencies: dependencies.map((index) => (typeof index === 'number' ? files[index] : index)) }
}

/** Resolves the group by its logical id. */
function withGroup(payload: Payload, { idOf }: Pick<DeployState, 'idOf'>): Payload {
  const { groupId } = payload
  if (!isMapping(groupId)) return payload
  const id = idOf('check-group', String(groupId.ref))
  if (id === undefined) throw fault('/groupId', `there is no check-group ${String(groupId.ref).slice(0, 100)} in the project`)
  return { ...payload, groupId: id }
}

function replacing(checkType: CheckType, payload: Payload, resources: Resources) {
  return ({ type }: WrittenDefinition, current: CheckDefinition | null): WrittenDefinition => {
    if (type === checkType.type) return definitionIn(checkType, payload, current ?? undefined, resources)
    throw fault('/checkType', `this check is of type ${type}, which cannot be changed: give the new one another logicalId`)
  }
}

function definitionIn(...[checkType, payload, previous, resources]: Parameters<typeof fromWire>): WrittenDefinition {
  const read = fromWire(checkType, payload, previous, resources)
  if ('faults' in read) throw new ResourceFaults(read.faults)
  return read.definition
}
