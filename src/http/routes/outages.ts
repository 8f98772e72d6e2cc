import { outageEntries, planOutages } from '../../analytics/outages.ts'
import { chooseWindow } from '../../analytics/window.ts'
import { apiError } from '../../errors.ts'
import type { FoundOutage, OutagePosition } from '../../store/states.ts'
import type { Window } from '../../store/store.ts'
import { isoText } from '../../time.ts'
import { questionOptions } from '../client-signal.ts'
import { integer, list, readParams, text } from '../params.ts'
import { outageSchema, outagesSchema } from '../reference/schemas.ts'
import { callerOf, type Doc, type Routes } from '../route.ts'
import { formatParam, inFormat } from './answer-format.ts'
import { chooseChecks } from './find-check.ts'
import { schemaColumns } from './schema-columns.ts'
import { quorum } from './time-params.ts'
import { windowParams } from './window-params.ts'

const params = {
  checkId: list({ description: 'Outages of these checks.' }),
  tag: list({ description: 'Outages of checks with any of these tags. With checkId, both must hold; without either, all checks.' }),
  ...windowParams,
  quorum: quorum(),
  minSeconds: integer({ description: 'Only outages that last so long.', min: 0, otherwise: 0 }),
  limit: integer({ description: 'How many outages.', min: 1, max: 1000, otherwise: 100 }),
  cursor: text({ description: 'The next of the answer before; the window stays that of the first.', maxLength: 1024 }),
  ...formatParam,
}

const columns = schemaColumns(outageSchema)

const docOf = (checkType: string): Doc => ({
  group: 'Analytics',
  summary: 'Outages of checks',
  description:
    'The longest intervals in which a check is down, whole, wherever they touch the window: newest first. Maintenance does not cut them.',
  query: params,
  answer: {
    description: 'Some outages, and the cursor to go on with; null at the end.',
    schema: outagesSchema,
    otherTypes: ['text/csv'],
    example: {
      from: '2026-11-13T10:00:00.000Z',
      to: '2026-11-14T10:00:00.000Z',
      outages: [
        {
          checkId: 'shop',
          name: 'Shop',
          checkType,
          from: '2026-11-14T03:12:00.120Z',
          to: '2026-11-14T03:18:00.340Z',
          seconds: 360.22,
          locations: ['eu-west-1', 'us-east-1'],
          reason: 'status 503, expected 200',
          firstResultId: '0e8f9d3a-7c0b-8b1e-8f00-1d2c3b4a5968',
          lastResultId: '5b6a7988-9d0c-8e1f-8a2b-3c4d5e6f7081',
          maintenance: false,
        },
      ],
      pagination: { limit: 100, next: null },
    },
  },
  errors: ['INVALID_ID', 'INVALID_WINDOW', 'UNKNOWN_TIMEZONE', 'QUERY_TOO_LARGE', 'CHECK_NOT_FOUND'],
})

export const outageRoutes: Routes = (app, { catalogue, store, clock, checkTypes }) => {
  const doc = docOf(checkTypes[0]?.type ?? '')
  app.get('/v1/analytics/outages', { config: { access: 'read', doc } }, async (request, reply) => {
    const query = readParams(params, request.query)
    const now = clock.now()
    const { window, after } = query.cursor === null ? { window: chooseWindow(query, now), after: null } : readCursor(query.cursor)
    const chosen = { ...query, checks: chooseChecks(catalogue, request, query), window, now, quorum: query.quorum ?? 1, after }
    const found = await store.outages(planOutages(chosen), questionOptions(request, reply))
    const page = found.slice(0, query.limit)
    const answer = {
      from: isoText(window.from),
      to: isoText(window.to),
      outages: outageEntries(page, chosen, catalogue.policies(callerOf(request).account.id)),
      pagination: { limit: query.limit, next: found.length > page.length ? cursorAfter(window, page) : null },
    }
    return inFormat(request, reply, { answer, format: query.format, columns: () => columns })
  })
}

function cursorAfter({ from, to }: Window, page: readonly FoundOutage[]): string {
  const last = page.at(-1)
  return Buffer.from(JSON.stringify([from, to, last?.from, last?.check.checkId])).toString('base64url')
}

function readCursor(cursor: string): { readonly window: Window; readonly after: OutagePosition } {
  const [from, to, lastFrom, checkId] = parsed(Buffer.from(cursor, 'base64url').toString())
  const isWindow = isInstant(from) && isInstant(to) && from <= to
  if (!isWindow || !isInstant(lastFrom) || typeof checkId !== 'string')
    throw apiError('INVALID_PARAMETER', { name: 'cursor', expected: 'the next of an earlier answer' })
  return { window: { from, to }, after: { from: lastFrom, checkId } }
}

const isInstant = (value: unknown): value is number => Number.isSafeInteger(value) && Math.abs(Number(value)) <= 8.64e15

function parsed(json: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(json)
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}
