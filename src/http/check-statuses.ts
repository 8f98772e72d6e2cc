import { figureOf, planWhole } from '../analytics/plan.ts'
import { presetWindow } from '../analytics/quick-range.ts'
import { type Check, refOf } from '../catalogue/catalogue.ts'
import { currentResults, newestOf } from '../store/state.ts'
import type { Latest, Result, Store } from '../store/store.ts'
import { findCheck, idOf, idSchema } from './find-check.ts'
import { inTurn } from './in-turn.ts'
import { callerOf, type Routes } from './route.ts'
import { checkStatusSchema } from './schemas.ts'

const group = 'Check statuses'

export const checkStatusRoutes: Routes = (app, { catalogue, store, clock }) => {
  const lengthsOf = rememberLengths(store)
  const allDoc = {
    group,
    summary: 'How every check of the account stands',
    description: 'All of them at once. It takes no parameters: limit and page, which clients send, change nothing.',
    answer: { description: 'By checkId.', schema: { type: 'array', items: checkStatusSchema } },
  }
  app.get('/v1/check-statuses', { config: { access: 'read', doc: allDoc } }, async (request) => {
    const now = clock.now()
    const checks = catalogue.checks(callerOf(request).account.id).toSorted((a, b) => (a.id < b.id ? -1 : 1))
    return inTurn(checks, (check) => checkStatus(check, store, lengthsOf, now))
  })
  const oneDoc = {
    group,
    summary: 'How one check stands',
    path: { id: idSchema },
    answer: { description: 'Its status.', schema: checkStatusSchema },
    errors: ['INVALID_ID', 'CHECK_NOT_FOUND'] as const,
  }
  app.get('/v1/check-statuses/:id', { config: { access: 'read', doc: oneDoc } }, async (request) => {
    return checkStatus(findCheck(catalogue, request, idOf(request)), store, lengthsOf, clock.now())
  })
}

async function checkStatus(check: Check, store: Store, lengthsOf: LengthsOf, now: number) {
  const latest = store.latest(refOf(check))
  const results = currentResults(check, latest, now)
  const newest = newestOf(results)
  const [longestRun, shortestRun] = await lengthsOf(check, latest, now)
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
type Lengths = readonly [number | null, number | null]
type LengthsOf = (check: Check, latest: Latest | undefined, now: number) => Promise<Lengths>

const freshMs = 60_000

/** Asks again only where a newer result has come, or a minute has gone: clients list all checks often. */
function rememberLengths(store: Store): LengthsOf {
  const known = new Map<string, { readonly latest: Latest | undefined; readonly askedAt: number; readonly lengths: Lengths }>()
  return async (check, latest, now) => {
    const key = `${check.account}\n${check.id}`
    const last = known.get(key)
    if (last && last.latest === latest && now - last.askedAt < freshMs) return last.lengths
    const lengths = await runLengths(check, store, now)
    known.set(key, { latest, askedAt: now, lengths })
    return lengths
  }
}

async function runLengths(check: Check, store: Store, now: number): Promise<Lengths> {
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
