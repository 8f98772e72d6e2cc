// @slow
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { testCatalogue } from '../../test/support/catalogue.ts'
import { checkOf, pingedType } from '../../test/support/checks.ts'
import { createInFlight } from '../../test/support/in-flight.ts'
import { resultsOf, temporaryStore } from '../../test/support/temporary-store.ts'
import { virtualClock } from '../../test/support/virtual-clock.ts'
import { refOf } from '../catalogue/catalogue.ts'
import { pingOutcome } from '../checks/probe/pings.ts'
import { receivePing } from '../ingest/ping.ts'
import type { FiledResult } from '../store/store.ts'
import { watchDeadlines } from './deadlines.ts'

const rules = { mode: 'none', evidenceBytes: 0, screenshotBytes: 0 } as const
const silent = { error: null, durationMs: null, note: '', body: '', token: '', rules }

const second = 1000
const start = Date.UTC(2026, 10, 14, 10)
const schedule = { periodMs: 60 * second, graceMs: 10 * second, tokenHash: '' }
const check = checkOf('job', { ...pingedType, pingSettings: () => schedule })

/** How long ago an imported result started, and whether it is a missed ping. */
type Imported = { readonly ageSeconds: number; readonly isMissed: boolean }
type Step =
  | { readonly ping: 'alive' | 'failed' }
  | { readonly waitSeconds: number }
  | { readonly downSeconds: number }
  | { readonly activated: boolean }
  | { readonly imported: readonly Imported[] }

/** The starts of the missed pings that are stored at the end, in seconds, without imported ones. */
async function missesOf(steps: readonly Step[]): Promise<readonly number[]> {
  const { track, idle } = createInFlight()
  const clock = virtualClock(start, idle)
  const { store: first, reopen } = await temporaryStore(clock.now)
  let store = first
  const imported = new Set<number>()
  const checks = [check]
  const watch = () =>
    watchDeadlines({
      catalogue: testCatalogue({ checks }),
      latest: (refs, options) => track(store.latest(refs, options)),
      clock,
      put: (filed) => void track(store.append([filed])),
      onResult: () => {},
    })
  let deadlines = watch()

  async function take(step: Step): Promise<void> {
    if ('ping' in step) await receivePing(store, check, { ...silent, kind: step.ping, now: clock.now() })
    else if ('waitSeconds' in step) await clock.advance(step.waitSeconds * second)
    else if ('downSeconds' in step) await restart(step.downSeconds)
    else if ('activated' in step) activate(step.activated)
    else await importAll(step.imported)
  }

  function activate(activated: boolean): void {
    checks.splice(0, 1, { ...check, activated })
    deadlines.reload()
  }

  async function restart(downSeconds: number): Promise<void> {
    deadlines.close()
    await idle()
    await clock.advance(downSeconds * second)
    store = await reopen()
    deadlines = watch()
    await clock.advance(0)
  }

  async function importAll(results: readonly Imported[]): Promise<void> {
    const filed = results.map(({ ageSeconds, isMissed }): FiledResult => {
      const startedAt = clock.now() - ageSeconds * second - 1
      imported.add(startedAt)
      return { check: refOf(check), result: { id: null, ...pingOutcome(isMissed ? 'missed' : 'RECEIVED', startedAt) } }
    })
    await store.append(filed)
  }

  for (const step of steps) await take(step)
  await clock.advance(3 * second)
  deadlines.close()
  await idle()
  const misses = (await resultsOf(store, check.id)).filter(({ hasErrors, startedAt }) => hasErrors && !imported.has(startedAt))
  return misses.map(({ startedAt }) => (startedAt - start) / second)
}

const withoutImports = (steps: readonly Step[]) => steps.filter((step) => !('imported' in step))
const ages = (...seconds: number[]): Step => ({ imported: seconds.map((ageSeconds) => ({ ageSeconds, isMissed: false })) })

describe('results of the past that are imported into a running server cause no missed pings', () => {
  const history = Array.from({ length: 20 }, (_, i) => 100 + 60 * i)
  const gaps = history.filter((_, i) => i % 7 < 3)
  const paused = (seconds: readonly number[]): Step[] => seconds.flatMap((age) => [ages(age), { waitSeconds: 2 }])
  test.each<[string, Step[]]>([
    ['at once', [ages(...history)]],
    ['oldest first, with pauses', paused(history.toReversed())],
    ['newest first, with pauses', paused(history)],
    ['with gaps', paused(gaps.toReversed())],
    ['that end with a missed ping', [{ imported: [{ ageSeconds: 80, isMissed: true }] }]],
    ['of a check that never had a ping', [{ waitSeconds: 500 }, ...paused(history.toReversed())]],
    ['with restarts in between', paused(history.toReversed()).flatMap((step) => [step, { downSeconds: 3 }])],
    ['before the job pings here', [ages(...history), { waitSeconds: 5 }, { ping: 'alive' }]],
  ])('%s', async (_, steps) => {
    expect(await missesOf([...steps, { waitSeconds: 5 }])).toEqual([])
  })

  test('and after a ping that is imported in time another one is expected', async () => {
    expect(await missesOf([ages(30), { waitSeconds: 45 }])).toEqual([39.999])
  })
})

describe('a silence after imported history', () => {
  const history = Array.from({ length: 55 }, (_, i) => 100 + 60 * i)
  test.each<[string, Step[], number[]]>([
    ['is one missed ping a period, counted from the import', [ages(...history), { waitSeconds: 200 }], [70, 130, 190]],
    [
      'is noticed where the history ends with a missed ping',
      [{ imported: [{ ageSeconds: 80, isMissed: true }] }, { waitSeconds: 72 }],
      [70],
    ],
    ['counts from the newest result that was imported', [ages(300), { waitSeconds: 40 }, ages(200), { waitSeconds: 72 }], [110]],
    ['is not put off by late rows', [ages(100), { waitSeconds: 40 }, ages(300, 400), { waitSeconds: 32 }], [70]],
    [
      'counts from the ping that was received here, though the history ends with a later missed one',
      [{ ping: 'alive' }, { waitSeconds: 65 }, { imported: [{ ageSeconds: 62, isMissed: true }] }, { waitSeconds: 10 }],
      [70],
    ],
    [
      'counts from the restart where that was later',
      [ages(...history), { waitSeconds: 40 }, { downSeconds: 260 }, { waitSeconds: 72 }],
      [370],
    ],
    [
      'is missed once where a restart comes after it',
      [ages(...history), { waitSeconds: 75 }, { downSeconds: 2 }, { waitSeconds: 60 }],
      [70],
    ],
    [
      'is missed again, each period that the server listened',
      [ages(100), { waitSeconds: 75 }, { downSeconds: 200 }, { waitSeconds: 120 }],
      [70, 370],
    ],
    ['ends with a ping', [ages(...history), { waitSeconds: 60 }, { ping: 'alive' }, { waitSeconds: 60 }], []],
  ])('%s', async (_, steps, misses) => {
    expect(await missesOf(steps)).toEqual(misses)
  })

  test('counts from the activation of the check, if that was later', async () => {
    expect(
      await missesOf([{ activated: false }, ages(...history), { waitSeconds: 300 }, { activated: true }, { waitSeconds: 72 }]),
    ).toEqual([370])
  })
})

describe('a missed ping', () => {
  const anyImport = fc
    .array(fc.record({ ageSeconds: fc.integer({ min: 70, max: 2000 }), isMissed: fc.boolean() }), { minLength: 1, maxLength: 5 })
    .map((imported) => ({ imported }))
  const anyStep: fc.Arbitrary<Step> = fc.oneof(
    fc.record({ ping: fc.constantFrom('alive' as const, 'failed' as const) }),
    fc.record({ waitSeconds: fc.integer({ min: 0, max: 150 }) }),
    anyImport,
  )
  const anyRestart = fc.record({ downSeconds: fc.integer({ min: 0, max: 200 }) })

  test('does not depend on imports of the past, once the job has pinged', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { maxLength: 8 }), async (later) => {
        const steps: Step[] = [{ ping: 'alive' }, ...later]
        expect(await missesOf(steps)).toEqual(await missesOf(withoutImports(steps)))
      }),
      { numRuns: 40 },
    )
  })

  test('occurs at most once a period, whatever is imported and whenever there are restarts', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(anyStep, anyRestart), { maxLength: 10 }), async (steps) => {
        const misses = (await missesOf(steps)).toSorted((a, b) => a - b)
        const gaps = misses.slice(1).map((miss, i) => miss - (misses[i] as number))
        expect(gaps.filter((gap) => gap < 60)).toEqual([])
      }),
      { numRuns: 40 },
    )
  })

  test('is noticed, whatever was imported and whenever there were restarts', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(anyStep, anyRestart), { maxLength: 6 }), anyImport, async (steps, history) => {
        const all: Step[] = [...steps, history, { waitSeconds: 140 }]
        const lastMiss = Math.max(...(await missesOf(all)))
        expect(lastMiss).toBeGreaterThan(elapsedSeconds(all) - 60 - 3)
      }),
      { numRuns: 40 },
    )
  })
})

function elapsedSeconds(steps: readonly Step[]): number {
  return steps.reduce((sum, step) => sum + ('waitSeconds' in step ? step.waitSeconds : 'downSeconds' in step ? step.downSeconds : 0), 0)
}
