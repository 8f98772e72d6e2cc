import { outageEntries, planOutages } from '../../analytics/outages.ts'
import { chooseWindow } from '../../analytics/window.ts'
import type { FoundOutage } from '../../store/state-questions.ts'
import type { Window } from '../../store/store.ts'
import { isoText } from '../../time.ts'
import { callerOf } from '../hooks/auth.ts'
import { cursorParam, outageCursor } from '../input/cursor.ts'
import { chooseChecks } from '../input/find-check.ts'
import { booleanParam, integer, list, listOf, oneOf, readParams } from '../input/params.ts'
import { quorum } from '../input/time-params.ts'
import { windowParams } from '../input/window-params.ts'
import { formatParam, inFormat } from '../output/answer-format.ts'
import { schemaColumns } from '../output/schema-columns.ts'
import { outageSchema, outagesSchema } from '../reference/report-schemas.ts'
import type { Deps, Doc, Routes } from '../route.ts'
import { questionOptions } from '../server/client-signal.ts'

const outageParams = ({ checkTypes }: Pick<Deps, 'checkTypes'>) => ({
  checkId: list({ description: 'Outages of these checks.' }),
  tag: list({ description: 'Outages of checks with any of these tags. With checkId, both must hold; without either, all checks.' }),
  checkType: listOf({ description: 'Outages of checks of these types.', choices: checkTypes.map(({ type }) => type) }),
  runLocation: list({ description: 'Only outages in which any of these locations was down.' }),
  ...windowParams,
  quorum: quorum(),
  state: oneOf({ description: 'Only ongoing, or only ended outages.', choices: ['open', 'over'], otherwise: null }),
  minSeconds: integer({ description: 'Only outages of at least this duration.', min: 0, otherwise: 0 }),
  totals: booleanParam({ description: 'Add the number and total duration of outages over all pages.', otherwise: false }),
  limit: integer({ description: 'Maximum number of outages.', min: 1, max: 1000, otherwise: 100 }),
  cursor: cursorParam('The `next` cursor of the previous response; keeps its window.', outageCursor),
  ...formatParam,
})

const columns = schemaColumns(outageSchema)

const docOf = (query: ReturnType<typeof outageParams>, checkType: string): Doc => ({
  group: 'Analytics',
  summary: 'Outages of checks',
  description:
    'Intervals in which a check is down, newest first: every outage that overlaps the window, not truncated. Maintenance does not split them.',
  query,
  answer: {
    description: 'A page of outages, and the next cursor; null at the end.',
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
  errors: ['INVALID_ID', 'INVALID_WINDOW', 'UNKNOWN_TIMEZONE', 'INVALID_CURSOR', 'QUERY_TOO_LARGE', 'CHECK_NOT_FOUND'],
})

export const outageRoutes: Routes = (app, { catalogue, store, clock, checkTypes }) => {
  const params = outageParams({ checkTypes })
  const doc = docOf(params, checkTypes[0]?.type ?? '')
  app.get('/v1/analytics/outages', { config: { access: 'read', doc } }, async (request, reply) => {
    const query = readParams(params, request.query)
    const now = clock.now()
    const { window, after } = query.cursor ?? { window: chooseWindow(query, now), after: null }
    const isType = (type: string) => query.checkType.length === 0 || query.checkType.includes(type)
    const checks = chooseChecks(catalogue, request, query).filter(({ checkType }) => isType(checkType.type))
    const chosen = { ...query, checks, window, now, quorum: query.quorum ?? 1, after }
    const plan = planOutages(chosen)
    const options = questionOptions(request, reply)
    const [found, totals] = await Promise.all([store.outages(plan, options), query.totals ? store.outageTotals(plan, options) : null])
    const page = found.slice(0, query.limit)
    const answer = {
      from: isoText(window.from),
      to: isoText(window.to),
      outages: await outageEntries(page, chosen, catalogue.policies(callerOf(request).account.id)),
      ...(totals && { totals: { outages: totals.outages, seconds: totals.ms / 1000 } }),
      pagination: { limit: query.limit, next: found.length > page.length ? cursorAfter(window, page) : null },
    }
    return inFormat(request, reply, { answer, format: query.format, columns: () => columns })
  })
}

function cursorAfter(window: Window, page: readonly FoundOutage[]): string | null {
  const last = page.at(-1)
  return last ? outageCursor.encode({ window, after: { from: last.from, checkId: last.check.checkId } }) : null
}
