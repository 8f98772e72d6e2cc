import type { FastifyReply, FastifyRequest } from 'fastify'
import Negotiator from 'negotiator'
import { answerCsv, type Tabular } from '../../analytics/answer-table.ts'
import { createTurns } from '../../concurrency/turns.ts'
import { mediaTypes } from '../../ingest/export.ts'
import { addVary } from '../hooks/reply-headers.ts'
import { oneOf } from '../input/params.ts'

export const formatParam = {
  format: oneOf({
    description: 'JSON, or the rows as CSV. Default: from the Accept header, else JSON.',
    choices: ['json', 'csv'],
    otherwise: null,
  }),
}

type Format = 'json' | 'csv'

type Formatted<Answer> = {
  readonly answer: Answer
  /** From the parameter; null to negotiate by `Accept`. */
  readonly format: Format | null
  /** Columns of the table; needed even if it has no rows. */
  readonly columns: () => readonly string[]
}

/** Encodes an answer as JSON or CSV, and sets its headers. */
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

/** Sent as a header, since a CSV table has no place for it. */
function nextCursor(answer: Tabular & { readonly pagination?: { readonly next?: string | null } }): string | null {
  return answer.pagination?.next ?? null
}

/** How many values are encoded per turn of the event loop. */
const valuesAtOnce = 2000
const valuesPerRow = 10

/** Same output as `JSON.stringify`, but a long answer yields to the event loop in between. */
export async function jsonInTurns(answer: object): Promise<string> {
  const turns = createTurns()
  const textOf = async (value: unknown): Promise<string> => {
    if (typeof value !== 'object' || value === null || sizeOf(value) < valuesAtOnce) return JSON.stringify(value)
    return Array.isArray(value) ? `[${await listText(value)}]` : `{${await propertiesText(value)}}`
  }
  const propertiesText = async (value: object): Promise<string> => {
    const pieces: string[] = []
    for (const [name, inner] of Object.entries(value))
      if (inner !== undefined) pieces.push(`${JSON.stringify(name)}:${await textOf(inner)}`)
    return pieces.join()
  }
  const listText = async (items: readonly unknown[]): Promise<string> => {
    const pieces: string[] = []
    for (const { some, size } of batchesOf(items)) {
      pieces.push(some.length === 1 ? await textOf(some[0]) : JSON.stringify(some).slice(1, -1))
      await turns(Math.min(size, valuesAtOnce) / valuesPerRow)
    }
    return pieces.join()
  }
  return textOf(answer)
}

type Batch = { readonly some: readonly unknown[]; readonly size: number }

/** Batches of consecutive items, each of at most `valuesAtOnce` values; a larger item is a batch of its own. */
function* batchesOf(items: readonly unknown[]): Generator<Batch> {
  let some: unknown[] = []
  let size = 0
  for (const item of items) {
    const own = sizeOf(item)
    if (some.length > 0 && size + own > valuesAtOnce) {
      yield { some, size }
      some = []
      size = 0
    }
    some.push(item)
    size += own
  }
  if (some.length > 0) yield { some, size }
}

/** The number of values within a value; counting stops at `valuesAtOnce`. */
function sizeOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1
  let size = 1
  if (Array.isArray(value)) for (let i = 0; i < value.length && size < valuesAtOnce; i++) size += sizeOf(value[i])
  else for (const name in value) if (size < valuesAtOnce) size += sizeOf(value[name as keyof typeof value])
  return size
}
