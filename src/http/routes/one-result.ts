import { refOf } from '../../catalogue/catalogue.ts'
import { apiError } from '../../errors.ts'
import { idGrammar } from '../../ids/id-grammar.ts'
import { Type } from '../../schema/typebox.ts'
import { decodeEvidence } from '../../store/evidence.ts'
import type { Position } from '../../store/store.ts'
import { isoText, parseEpoch, parseInstant } from '../../time.ts'
import { decoded, fieldOf, optional } from '../input/fields.ts'
import { findCheck, idSchema, requestedId } from '../input/find-check.ts'
import { booleanParam, param, readParams } from '../input/params.ts'
import { evidenceEntry } from '../output/evidence-entry.ts'
import { resultEntry } from '../output/result-entry.ts'
import { checkResultDetailsSchema } from '../reference/check-schemas.ts'
import type { Doc, Routes } from '../route.ts'
import { questionOptions } from '../server/client-signal.ts'

const startedAt = decoded(
  fieldOf(Type.String()),
  (text) => parseEpoch(text) ?? parseInstant(text),
  'unix milliseconds, or an ISO 8601 timestamp with Z or an offset',
)
const query = {
  startedAt: param('Its start, if known: speeds up the lookup of old results.', optional(startedAt)),
  sameLocation: booleanParam({ description: 'Limit previous and next to the same location.', otherwise: false }),
}

const doc: Doc = {
  group: 'Check results',
  summary: 'One result of a check, with the evidence of its run',
  description: 'Evidence is kept for failing runs by default, and expires before the result.',
  path: { id: idSchema, resultId: { type: 'string', pattern: idGrammar.source, description: 'The id of a result.' } },
  query,
  answer: { description: 'The result, its evidence, and the results before and after it.', schema: checkResultDetailsSchema },
  errors: ['INVALID_ID', 'CHECK_NOT_FOUND', 'RESULT_NOT_FOUND', 'QUERY_TOO_LARGE'],
}

export const oneResultRoutes: Routes = (app, { catalogue, store }) => {
  app.get('/v1/check-results/:id/:resultId', { config: { access: 'read', doc } }, async (request, reply) => {
    const id = requestedId(request)
    const { startedAt, sameLocation } = readParams(query, request.query)
    const check = findCheck(catalogue, request, id)
    const { resultId } = request.params as { readonly resultId: string }
    const found = await store.result({ check: refOf(check), id: resultId, startedAt, sameLocation }, questionOptions(request, reply))
    if (!found) throw apiError('RESULT_NOT_FOUND')
    return {
      ...resultEntry(check, found.result, []),
      previous: neighbour(found.previous),
      next: neighbour(found.next),
      evidence: found.evidence && evidenceEntry(decodeEvidence(found.evidence)),
    }
  })
}

function neighbour(position: Position | null) {
  return position && { id: position.id, startedAt: isoText(position.startedAt), runLocation: position.runLocation }
}
