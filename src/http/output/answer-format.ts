import type { FastifyReply, FastifyRequest } from 'fastify'
import Negotiator from 'negotiator'
import { answerCsv, type Tabular } from '../../analytics/answer-table.ts'
import { mediaTypes } from '../../ingest/export.ts'
import { addVary } from '../hooks/reply-headers.ts'
import { oneOf } from '../input/params.ts'
import { jsonInTurns } from './json-in-turns.ts'

export const formatParam = {
  format: oneOf({
    description: 'JSON, or the rows of the answer as a CSV table. Without it: as the header Accept asks for, else JSON.',
    choices: ['json', 'csv'],
    otherwise: null,
  }),
}

type Format = 'json' | 'csv'

type Formatted<Answer> = {
  readonly answer: Answer
  /** From the parameter; null to negotiate by `Accept`. */
  readonly format: Format | null
  /** The columns of its table, also where it has no rows. */
  readonly columns: () => readonly string[]
}

/** The body of an answer as JSON or CSV, with its headers set. */
export async function inFormat<Answer extends Tabular>(
  request: FastifyRequest,
  reply: FastifyReply,
  { answer, format, columns }: Formatted<Answer>,
): Promise<string> {
  addVary(reply, 'Accept')
  if ((format ?? acceptedFormat(request)) === 'json') {
    reply.type('application/json; charset=utf-8')
    return jsonInTurns(answer)
  }
  const next = nextCursor(answer)
  if (next !== null) reply.header('x-next-cursor', next)
  reply.type(mediaTypes.csv)
  return answerCsv(answer, columns())
}

/** The `Accept` headers of most clients: not worth parsing. */
const jsonAccepts: readonly (string | undefined)[] = [undefined, '*/*', 'application/json']

function acceptedFormat({ headers }: FastifyRequest): Format {
  if (jsonAccepts.includes(headers.accept)) return 'json'
  return new Negotiator({ headers }).mediaType(['application/json', 'text/csv']) === 'text/csv' ? 'csv' : 'json'
}

/** A table has no place for the cursor of the next page. */
function nextCursor(answer: Tabular & { readonly pagination?: { readonly next?: string | null } }): string | null {
  return answer.pagination?.next ?? null
}
