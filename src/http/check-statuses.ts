import { figureOf, planWhole } from '../analytics/plan.ts'
import { presetWindow } from '../analytics/quick-range.ts'
import { type Check, refOf } from '../catalogue/catalogue.ts'
import { currentResults, newestOf } from '../store/state.ts'
import type { Result, Store } from '../store/store.ts'
import { findCheck, idOf, idSchema } from './find-check.ts'
import { inTurn } from './in-turn.ts'
import { readParams } from './params.ts'
import { callerOf, type Routes } from './route.ts'
import { checkStatusSchema } from './schemas.ts'

const group = 'Check statuses'

export const checkStatusRoutes: Routes = (app, { catalogue, store, clock }) => {
  const allDoc = {
    group,
    summary: 'How every check of the account stands',
    query: {},
    answer: { description: 'By checkId.', schema: { type: 'array', items: checkStatusSchema } },
  }
  app.get('/v1/check-statuses', { config: { access: 'read', doc: allDoc } }, async (request) => {
    readParams({}, request.query)
    const now = clock.now()
    const checks = catalogue.checks(callerOf(request).account.id).toSorted((a, b) => (a.id < b.id ? -1 : 1))
    return inTurn(checks, (check) => checkStatus(check, store, now))
  })
  const oneDoc = {
    group,
    summary: 'How one check stands',
    path: { id: idSchema },
    query: {},
    answer: { description: 'Its status.', schema: checkStatusSchema },
    errors: ['INVALID_ID', 'CHECK_NOT_FOUND'] as const,
  }
  app.get('/v1/check-statuses/:id', { config: { access: 'read', doc: oneDoc } }, async (request) => {
    const id = idOf(request)
    readParams({}, request.query)
    return checkStatus(findCheck(catalogue, request, id), store, clock.now())
  })
}

async function checkStatus(check: Check, store: Store, now: number) {
  const results = currentResults(check, store.latest(refOf(check)), now)
  const newest = newestOf(results)
  const [longestRun, shortestRun] = await runLengths(check, store, now)
  return {
    name: check.name,
    checkId: check.id,
    hasFailures: results.some(({ hasFailures }) => hasFailures),
    hasErrors: results.some(({ hasErrors }) => hasErrors),
    isDegraded: results.some(({ isDegraded }) => isDegraded),
    longestRun,
    shortestRun,
    lastRunLocation: newest?.runLocation ?? null,
    lastCheckRunId: newest?.id ?? null,
    sslDaysRemaining: fewestDays(results),
    created_at: new Date(check.createdAt).toISOString(),
    updated_at: new Date(newest?.startedAt ?? check.updatedAt).toISOString(),
  }
}

/** The longest and the shortest run of the last 24 hours, in milliseconds. */
async function runLengths(check: Check, store: Store, now: number): Promise<readonly [number | null, number | null]> {
  const { duration } = check.checkType
  if (duration === null) return [null, null]
  const figures = (['max', 'min'] as const).map((aggregation) => figureOf(check.checkType, duration, aggregation))
  const query = planWhole(check, { window: presetWindow('last24Hours', now), figures, outcomes: false })
  const [longest = null, shortest = null] = (await store.aggregate(query))[0]?.rows[0]?.values ?? []
  return [longest, shortest]
}

function fewestDays(results: readonly Result[]): number | null {
  const days = results.flatMap(({ values }) => values.sslDaysRemaining ?? [])
  return days.length === 0 ? null : Math.min(...days)
}
