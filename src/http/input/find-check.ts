import type { FastifyRequest } from 'fastify'
import type { Catalogue, Check } from '../../catalogue/catalogue.ts'
import { selector } from '../../catalogue/policies/policies.ts'
import type { CheckType } from '../../checks/define.ts'
import { ApiError, apiError } from '../../errors.ts'
import { idGrammar } from '../../ids/id-grammar.ts'
import { callerOf } from '../hooks/auth.ts'
import type { Deps, Schema } from '../route.ts'

export const idSchema: Schema = { type: 'string', pattern: idGrammar.source, description: 'The id of a check of your account.' }

/** Throws unless the text has the form of a check id. */
export function readId(text: unknown): string {
  if (typeof text !== 'string' || !idGrammar.test(text)) throw apiError('INVALID_ID')
  return text
}

export function requestedId(request: FastifyRequest): string {
  return readId((request.params as { readonly id?: unknown }).id)
}

/** Throws a 404 for a check of another account too. */
export function findCheck(catalogue: Catalogue, request: FastifyRequest, id: string): Check {
  const check = catalogue.check(callerOf(request).account.id, id)
  if (!check) throw apiError('CHECK_NOT_FOUND')
  return check
}

/** Like `findCheck`, but throws CHECK_FAULTY with the faults of a managed check that is stored but not run. */
export function findStored({ catalogue, managed }: Pick<Deps, 'catalogue' | 'managed'>, request: FastifyRequest, id: string): Check {
  const { account } = callerOf(request)
  const faults = catalogue.check(account.id, id) ? null : managed?.whyFaulty(account, id)
  if (faults) throw new ApiError('CHECK_FAULTY', apiError('CHECK_FAULTY').message, {}, faults)
  return findCheck(catalogue, request, id)
}

type Choice = { readonly checkId: readonly string[]; readonly tag: readonly string[] }

/** The caller's checks with these ids and any of these tags; all checks if neither is given. An unknown id is a 404. */
export function chooseChecks(catalogue: Catalogue, request: FastifyRequest, { checkId, tag }: Choice): readonly Check[] {
  const ids = checkId.map(readId)
  for (const id of ids) findCheck(catalogue, request, id)
  return catalogue.checks(callerOf(request).account.id).filter(selector({ checks: ids, tags: tag }))
}

/** Call before parsing the query: at the wrong endpoint its metrics are wrong too. */
export function rejectOtherType(catalogue: Catalogue, request: FastifyRequest, id: string, expected: CheckType): void {
  const actual = catalogue.check(callerOf(request).account.id, id)?.checkType
  if (actual && actual.type !== expected.type)
    throw apiError('WRONG_ENDPOINT', { type: actual.type, endpoint: `/v1/analytics/${actual.path}/${id}` })
}
