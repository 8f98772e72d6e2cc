import type { FastifyRequest } from 'fastify'
import type { Catalogue, Check } from '../../catalogue/catalogue.ts'
import type { CheckType } from '../../checks/define.ts'
import { apiError } from '../../errors.ts'
import { idGrammar } from '../../ids/id-grammar.ts'
import { callerOf, type Schema } from '../route.ts'

export const idSchema: Schema = { type: 'string', pattern: idGrammar.source, description: 'The id of a check of your account.' }

/** Refuses what can be no id of a check. */
export function readId(text: unknown): string {
  if (typeof text !== 'string' || !idGrammar.test(text)) throw apiError('INVALID_ID')
  return text
}

/** The id in the address. */
export function idOf(request: FastifyRequest): string {
  return readId((request.params as { readonly id?: unknown }).id)
}

/** A check of the caller's account; that of another is not there. */
export function findCheck(catalogue: Catalogue, request: FastifyRequest, id: string): Check {
  const check = catalogue.check(callerOf(request).account.id, id)
  if (!check) throw apiError('CHECK_NOT_FOUND')
  return check
}

/** Told before any mistake in the query: whoever asks at the wrong address has its metrics wrong as well. */
export function refuseOtherType(catalogue: Catalogue, request: FastifyRequest, id: string, wanted: CheckType): void {
  const known = catalogue.check(callerOf(request).account.id, id)?.checkType
  if (known && known.type !== wanted.type)
    throw apiError('WRONG_ENDPOINT', { type: known.type, endpoint: `/v1/analytics/${known.path}/${id}` })
}
