import { cachedFailingSince, type LatestOfChecks, newestFailing } from '../../analytics/failing-since.ts'
import { metricRef } from '../../analytics/metric-names.ts'
import { planEach, sourceOf } from '../../analytics/plan.ts'
import { presetWindow } from '../../analytics/resolve-window.ts'
import { rowsByCheck } from '../../analytics/summary.ts'
import { lruCache } from '../../cache/cache.ts'
import { type Check, refOf } from '../../catalogue/catalogue.ts'
import { currentMaintenance } from '../../catalogue/policies/current-maintenance.ts'
import { createTurns, mapInTurns } from '../../concurrency/turns.ts'
import { checkKey } from '../../ids/check-ref.ts'
import { checkState, currentResults, type LocationState, locationStates, newestOf } from '../../store/current-state.ts'
import {
  type AggregateAnswer,
  type AggregateQuery,
  type Latest,
  QueryTooLarge,
  type QuestionOptions,
  type Result,
  type Store,
} from '../../store/store.ts'
import { compareText } from '../../text/compare-text.ts'
import { isoText, isRecent, minuteMs } from '../../time.ts'
import { callerOf } from '../hooks/auth.ts'
import { findCheck, idSchema, requestedId } from '../input/find-check.ts'
import { jsonInTurns } from '../output/answer-format.ts'
import { checkStatusSchema } from '../reference/check-schemas.ts'
import type { Routes } from '../route.ts'
import { questionOptions } from '../server/client-signal.ts'

const group = 'Check statuses'
/** Estimated values per status with its locations, to take turns: an account may have any number of checks. */
const valuesOfStatus = 40

export const checkStatusRoutes: Routes = (app, { catalogue, store, clock }) => {
  const runLengths = cachedRunLengths(store)
  const failingSince = cachedFailingSince(store)
  const allDoc = {
    group,
    summary: 'Status of all checks',
    description: 'Returns all at once. Ignores limit and page, which some clients send.',
    answer: { description: 'By checkId.', schema: { type: 'array', items: checkStatusSchema } },
  }
  app.get('/v1/check-statuses', { config: { access: 'read', doc: allDoc } }, async (request, reply) => {
    const now = clock.now()
    const checks = catalogue.checks(callerOf(request).account.id).toSorted((a, b) => compareText(a.id, b.id))
    const options = questionOptions(request, reply)
    const latest = await store.latest(checks.map(refOf), options)
    const [lengths, since] = await Promise.all([
      runLengths({ checks, latest, now }, options),
      failingSince({ checks, latest, now }, options),
    ])
    const maintenance = currentMaintenance(catalogue.policies(callerOf(request).account.id), now)
    const statuses = await mapInTurns(checks, { turns: createTurns(), values: valuesOfStatus }, (check, i) =>
      checkStatus(check, {
        latest: latest[i],
        now,
        maintenance: maintenance(check)?.name ?? null,
        runLengths: lengths[i],
        failingSince: since[i] ?? null,
      }),
    )
    reply.type('application/json; charset=utf-8')
    return jsonInTurns(statuses)
  })
  const oneDoc = {
    group,
    summary: 'Status of one check',
    path: { id: idSchema },
    answer: { description: 'Its status.', schema: checkStatusSchema },
    errors: ['INVALID_ID', 'CHECK_NOT_FOUND'] as const,
  }
  app.get('/v1/check-statuses/:id', { config: { access: 'read', doc: oneDoc } }, async (request, reply) => {
    const now = clock.now()
    const check = findCheck(catalogue, request, requestedId(request))
    const options = questionOptions(request, reply)
    const latest = await store.latest([refOf(check)], options)
    const [[lengths], [since = null]] = await Promise.all([
      runLengths({ checks: [check], latest, now }, options),
      failingSince({ checks: [check], latest, now }, options),
    ])
    const maintenance = currentMaintenance(catalogue.policies(check.account), now)(check)
    return checkStatus(check, { latest: latest[0], now, maintenance: maintenance?.name ?? null, runLengths: lengths, failingSince: since })
  })
}

type Standing = {
  readonly latest: Latest | undefined
  readonly now: number
  readonly maintenance: string | null
  readonly runLengths: RunLengths | undefined
  readonly failingSince: number | null
}

function checkStatus(check: Check, { latest, now, maintenance, runLengths = [null, null], failingSince }: Standing) {
  const [longestRun, shortestRun] = runLengths
  const results = currentResults(check, latest, now)
  const newest = newestOf(results)
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
    state: checkState(check, latest, now),
    locations: locationStates(check, latest, now).map(locationStatus),
    muted: check.muted,
    maintenance,
    failingSince: failingSince === null ? null : isoText(failingSince),
    reason: newestFailing(check, latest, now)?.error ?? null,
  }
}

function locationStatus({ runLocation, state, newest }: LocationState) {
  const updatedAt = newest === null ? null : new Date(newest.startedAt).toISOString()
  return { runLocation, state, lastCheckRunId: newest?.id ?? null, updated_at: updatedAt }
}

/** The longest and the shortest run of the last 24 hours, in milliseconds. */
type RunLengths = readonly [longest: number | null, shortest: number | null]
type RunLengthsOf = (of: LatestOfChecks, options: QuestionOptions) => Promise<readonly RunLengths[]>
type CachedLengths = { readonly revision: string | undefined; readonly loadedAt: number; readonly lengths: RunLengths }

const freshMs = minuteMs
const capacity = 100_000

/** Cached until there is a newer result, for at most a minute, since clients list all checks often. */
function cachedRunLengths(store: Store): RunLengthsOf {
  const cache = lruCache<string, CachedLengths>(capacity)
  const isFresh = (cached: CachedLengths | undefined, revision: string | undefined, now: number) =>
    cached !== undefined && cached.revision === revision && isRecent(cached.loadedAt, freshMs, now)
  return async ({ checks, latest, now }, options) => {
    const cached = checks.map((check) => cache.get(checkKey(refOf(check))))
    const stale = checks
      .map((check, i) => ({ check, revision: latest[i]?.revision, cached: cached[i] }))
      .filter(({ revision, cached }) => !isFresh(cached, revision, now))
    const loaded = new Map<Check, RunLengths>()
    const asked = stale.map(({ check }) => check)
    const aggregate: Aggregate = (query) => store.aggregate(query, options)
    const found = asked.length === 0 ? [] : await readLengths(asked, aggregate, now)
    for (const [i, { check, revision }] of stale.entries()) {
      const lengths = found[i] ?? [null, null]
      loaded.set(check, lengths)
      cache.set(checkKey(refOf(check)), { revision, loadedAt: now, lengths })
    }
    return checks.map((check, i) => loaded.get(check) ?? cached[i]?.lengths ?? [null, null])
  }
}

type Aggregate = (query: AggregateQuery) => Promise<AggregateAnswer>

/** Splits a query that is too large into halves. */
async function readLengths(checks: readonly Check[], aggregate: Aggregate, now: number): Promise<readonly RunLengths[]> {
  try {
    const rowsOf = rowsByCheck(await aggregate(planLengths(checks, now)))
    return checks.map((check): RunLengths => {
      const [longest = null, shortest = null] = rowsOf(check)[0]?.values ?? []
      return [longest, shortest]
    })
  } catch (error) {
    if (!(error instanceof QueryTooLarge) || checks.length < 2) throw error
    const half = Math.ceil(checks.length / 2)
    const first = await readLengths(checks.slice(0, half), aggregate, now)
    return [...first, ...(await readLengths(checks.slice(half), aggregate, now))]
  }
}

function planLengths(checks: readonly Check[], now: number): AggregateQuery {
  const figures = (['max', 'min'] as const).map((aggregation) => ({ column: 0, aggregation, bound: null }))
  const sources = checks.map((check) => ({
    ...sourceOf(check, { metrics: [] }),
    columns: [metricRef(check.checkType, check.checkType.duration ?? '')],
  }))
  return planEach({ columns: [], metrics: [], figures, counts: false }, sources, presetWindow('last24Hours', now))
}

function fewestDays(results: readonly Result[]): number | null {
  const days = results.flatMap(({ values }) => values.sslDaysRemaining ?? [])
  return days.length === 0 ? null : Math.min(...days)
}
