import type { FastifyRequest } from 'fastify'
import { fromWire, typeNamedIn, wholeDefinition } from '../../catalogue/wire/index.ts'
import { bodyPointer } from '../../catalogue/wire/pointers.ts'
import type { WrittenDefinition } from '../../catalogue/written-definition.ts'
import type { CheckType } from '../../checks/define.ts'
import { ApiError, type ErrorCode } from '../../errors.ts'
import { invalidDefinition, type Precondition, type Writing } from '../../managed/writing.ts'
import { versionTag } from '../../text/version-tag.ts'
import { callerOf } from '../hooks/auth.ts'
import { matchesEtag } from '../output/etag.ts'
import { booleanParam } from './params.ts'

export const maxCheckBytes = 262_144

/** Parameters of every write. Third-party clients send `autoAssignAlerts`. */
export const writeParams = {
  dryRun: booleanParam({ description: 'Validate only: return faults, or what would change.', otherwise: false }),
  autoAssignAlerts: {
    ...booleanParam({ description: 'Subscribe a new check to channels with autoSubscribe.', otherwise: true }),
    hidden: true as const,
  },
}

/** Errors whose pointers refer to the request body already. */
const placedInBody = new WeakSet<ApiError>()

function invalidBody(faults: Parameters<typeof invalidDefinition>[0]): ApiError {
  const problem = invalidDefinition(faults)
  placedInBody.add(problem)
  return problem
}

export const otherType = (type: unknown) =>
  invalidBody([{ pointer: '/checkType', message: `this check is of type ${type}, which cannot be changed` }])

/** The check type that the body names: `checkType`, or `type` of a definition. */
export function typeOfBody(checkTypes: readonly CheckType[], body: unknown): CheckType {
  const named = typeNamedIn(body)
  const checkType = checkTypes.find(({ type }) => type === named)
  if (checkType) return checkType
  const types = checkTypes.map(({ type }) => type).join(', ')
  throw invalidBody([{ pointer: '/checkType', message: `checkType must be one of ${types}` }])
}

/** Throws one error with all faults of the definition. */
export function readDefinition(...[checkType, body, previous, resources]: Parameters<typeof fromWire>): WrittenDefinition {
  const read = fromWire(checkType, body, previous, resources)
  if ('faults' in read) throw invalidBody(read.faults)
  return read.definition
}

/** Translates the pointers of faults from the definition to the request body. */
export async function inBody<T>(typeOf: () => CheckType | undefined, body: unknown, write: () => Promise<T>): Promise<T> {
  return write().catch((problem) => {
    const checkType = typeOf()
    if (!(problem instanceof ApiError) || problem.faults === null || placedInBody.has(problem) || !checkType) throw problem
    const placed = (pointer: string) => (wholeDefinition(body) ? `/definition${pointer}` : bodyPointer(checkType, pointer))
    throw invalidDefinition(problem.faults.map(({ pointer, message }) => ({ pointer: placed(pointer), message })))
  })
}

export function writingOf(request: FastifyRequest, isDryRun: boolean): Writing {
  const { account, key } = callerOf(request)
  return { account, author: { keyId: key.id, keyName: key.name }, isDryRun }
}

export function preconditionOf({ headers }: FastifyRequest): Precondition {
  const wanted = headers['if-match']
  return wanted === undefined ? null : (version) => matchesEtag(versionTag(version), wanted)
}

export const writeErrors = [
  'INVALID_ID',
  'CHECK_NOT_FOUND',
  'DEFINED_IN_FILE',
  'VERSION_CONFLICT',
  'MANAGED_OFF',
] as const satisfies readonly ErrorCode[]

export const definitionErrors = [
  'INVALID_DEFINITION',
  'INVALID_BODY',
  'MALFORMED_REQUEST',
  'BODY_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
] as const satisfies readonly ErrorCode[]
