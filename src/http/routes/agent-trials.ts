import { apiError } from '../../errors.ts'
import { readTrialAnswer } from '../../ingest/trial-answer.ts'
import { callerOf } from '../hooks/auth.ts'
import type { Doc, Routes } from '../route.ts'
import { ownPlace } from './agents.ts'

/** One result with its evidence and screenshot. */
const maxAnswerBytes = 524_288

const doc: Doc = {
  group: 'Locations',
  summary: 'Report the result of a trial',
  description: 'For tidemark agent. Trials are part of its assigned checks; they are not stored.',
  path: { id: { type: 'string', description: 'The id of the trial.' } },
  query: {},
  body: {
    description: '`{"result": …}` with a result as sent, and its evidence; or `{"problem": "…"}` if it could not be run.',
    mediaType: 'application/json',
    schema: { type: 'object' },
  },
  answer: { status: 204, description: 'It was passed on to the waiting request.' },
  errors: ['TRIAL_NOT_FOUND', 'INVALID_BODY', 'MALFORMED_REQUEST', 'BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'],
}

export const agentTrialRoutes: Routes = (app, { agentTrials, catalogue, clock, decodeEvidence }) => {
  app.post('/v1/agents/trials/:id', { bodyLimit: maxAnswerBytes, config: { access: 'agent', doc } }, async (request, reply) => {
    const { id } = request.params as { readonly id: string }
    const place = ownPlace(callerOf(request))
    const check = agentTrials.waiting(place, id)
    if (!check) throw apiError('TRIAL_NOT_FOUND')
    const { limits } = catalogue.service()
    const answer = await readTrialAnswer(request.body, { check, location: place.location, now: clock.now(), limits, decodeEvidence })
    if ('invalid' in answer) throw apiError('INVALID_BODY', { reason: answer.invalid })
    agentTrials.answer(id, answer)
    return reply.code(204).send()
  })
}
