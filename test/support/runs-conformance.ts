import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { grouped } from '../../src/collections/lists.ts'
import type { FailureGroup } from '../../src/store/failures/failures.ts'
import { reasonPattern } from '../../src/store/failures/pattern.ts'
import type { CheckRef, FiledResult, NewResult, Position, Result, Store } from '../../src/store/store.ts'
import { anyResults, check, otherCheck, span } from './arbitrary-results.ts'
import { inOrder } from './oracle.ts'
import { calm } from './results.ts'
import type { OpenForTest } from './store-conformance.ts'
import { triesOf } from './tries.ts'

const dayMs = 86_400_000

/** Guarantees of every store for single runs, their evidence and their failures. */
export function describeRuns(name: string, open: OpenForTest): void {
  const withStore = async <T>(work: (store: Store) => Promise<T>): Promise<T> => {
    const { store, dispose } = await open(span.to)
    try {
      return await work(store)
    } finally {
      await dispose()
    }
  }

  describe(`${name}: one result`, () => {
    test('is found by its id, with its neighbours, whether or not its start is known', async () => {
      await fc.assert(
        fc.asyncProperty(anyResults, fc.nat(), async (results, chosen) => {
          fc.pre(results.length > 0)
          const ordered = inOrder(check, results)
          const at = chosen % ordered.length
          const result = ordered[at] as Result
          await withStore(async (store) => {
            await store.append(filed(check, results))
            const expected = { result, evidence: null, previous: positionOf(ordered[at - 1]), next: positionOf(ordered[at + 1]) }
            for (const startedAt of [null, result.startedAt])
              expect(withPositions(await store.result({ check, id: result.id, startedAt }))).toEqual(expected)
          })
        }),
        { numRuns: triesOf(25) },
      )
    })

    test('is not found by an unknown id, at another check, or at another time', async () => {
      await withStore(async (store) => {
        await store.append([filedAt(1), { ...filedAt(2, { id: 'own' }), check: otherCheck }])
        const [{ id } = { id: '' }] = await store.results({ ...page, check })
        const found = async (query: { check: CheckRef; id: string; startedAt?: number }) =>
          (await store.result({ startedAt: null, ...query })) !== null
        expect(await found({ check, id })).toBe(true)
        expect(await found({ check: otherCheck, id: 'own' })).toBe(true)
        expect(await found({ check: otherCheck, id })).toBe(false)
        expect(await found({ check, id: 'own' })).toBe(false)
        expect(await found({ check, id: '00000000-0000-8000-8000-000000000000' })).toBe(false)
        expect(await found({ check, id, startedAt: span.from + 2 })).toBe(false)
      })
    })
  })

  describe(`${name}: evidence`, () => {
    test('is returned with its result, and never with another', async () => {
      await withStore(async (store) => {
        const some = [1, 2, 3, 4].map((ms) => filedAt(ms, ms > 2 ? { id: `own-${ms}` } : {}, ms % 2 === 0 ? `evidence ${ms}` : undefined))
        await store.append(some.toReversed())
        expect(await evidenceOf(store)).toEqual([null, 'evidence 2', null, 'evidence 4'])
      })
    })

    test('of a duplicate result is ignored', async () => {
      await withStore(async (store) => {
        await store.append([filedAt(1, {}, 'first'), filedAt(2)])
        await store.append([filedAt(1, {}, 'second'), filedAt(2, {}, 'second'), filedAt(3, {}, 'new')])
        expect(await evidenceOf(store)).toEqual(['first', null, 'new'])
      })
    })

    test('is deleted by its own retention, before its result', async () => {
      await withStore(async (store) => {
        const starts = [span.to - 3 * dayMs, span.to - 2 * dayMs - 1, span.to - 2 * dayMs, span.to]
        await store.append(starts.map((startedAt) => filedAt(0, { startedAt }, 'evidence')))
        await store.applyEvidenceRetention(2)
        expect(await evidenceOf(store)).toEqual([null, null, 'evidence', 'evidence'])
      })
    })

    test('is deleted with its result', async () => {
      await withStore(async (store) => {
        await store.append([filedAt(1, {}, 'evidence')])
        await store.applyRetention(1)
        await store.append([filedAt(1)])
        expect(await evidenceOf(store)).toEqual([null])
      })
    })
  })

  describe(`${name}: failures`, () => {
    const errors = fc.constantFrom('timed out after 17 ms', 'timed out after 4711 ms', 'status 503', 'status 500', null)

    test('are grouped by reason, with the same counts as a naive implementation', async () => {
      const failures = fc.array(errors, { minLength: 1, maxLength: 20 })
      await fc.assert(
        fc.asyncProperty(anyResults, failures, fc.constantFrom<string[] | null>(null, ['eu-west-1']), async (results, words, locations) => {
          const failing = results.map((result, i) => ({ ...result, hasFailures: i % 3 > 0, error: words[i % words.length] ?? null }))
          const [own, others] = [failing.filter((_, i) => i % 2 === 0), failing.filter((_, i) => i % 2 === 1)]
          await withStore(async (store) => {
            await store.append([...filed(check, own), ...filed(otherCheck, others)])
            const query = { sources: [check, otherCheck], window: span, locations }
            const expected = naiveFailures(
              [...located(check, own), ...located(otherCheck, others)].filter(
                ({ result }) => result.hasFailures && (locations?.includes(result.runLocation) ?? true),
              ),
            )
            expect(await store.failures(query)).toEqual(expected)
          })
        }),
        { numRuns: triesOf(25) },
      )
    })

    test('of a window are those that started in it, including both ends', async () => {
      await withStore(async (store) => {
        const failing = { hasFailures: true, error: 'refused' }
        await store.append([1, 2, 3, 4].map((ms) => filedAt(ms, failing)))
        const window = { from: span.from + 2, to: span.from + 3 }
        const [group] = await store.failures({ sources: [check], window, locations: null })
        expect(group).toMatchObject({ count: 2, firstAt: window.from, lastAt: window.to })
        expect(await store.failures({ sources: [otherCheck], window, locations: null })).toEqual([])
      })
    })

    test('with too many different reasons are rejected', async () => {
      await withStore(async (store) => {
        const word = (i: number) => Array.from(String(i), (digit) => 'abcdefghij'[Number(digit)]).join('')
        await store.append(Array.from({ length: 20_001 }, (_, i) => filedAt(i, { hasFailures: true, error: word(i) })))
        const refused = { name: 'QueryTooLarge', message: 'it has more than 20,000 different reasons' }
        await expect(store.failures({ sources: [check], window: span, locations: null })).rejects.toMatchObject(refused)
      })
    })
  })
}

const page = { window: span, location: null, hasFailures: null, before: null, rowPage: { offset: 0, limit: 100 } }

const filed = (of: CheckRef, results: readonly NewResult[]): FiledResult[] => results.map((result) => ({ check: of, result }))

function filedAt(ms: number, more: Partial<NewResult> = {}, evidence?: string): FiledResult {
  const result = { ...calm, id: null, startedAt: span.from + ms, runLocation: 'eu', values: {}, pages: [], ...more }
  return { check, result, ...(evidence !== undefined && { evidence: Buffer.from(evidence) }) }
}

/** The evidence of every result, oldest first. */
async function evidenceOf(store: Store): Promise<(string | null)[]> {
  const results = await store.results({ ...page, check })
  const found = await Promise.all(results.map(({ id, startedAt }) => store.result({ check, id, startedAt })))
  return found
    .map((one) => one?.evidence && Buffer.from(one.evidence).toString())
    .map((text) => text ?? null)
    .toReversed()
}

const positionOf = (result: Position | undefined | null) =>
  result ? { id: result.id, startedAt: result.startedAt, runLocation: result.runLocation } : null

function withPositions(found: Awaited<ReturnType<Store['result']>>) {
  return found && { ...found, previous: positionOf(found.previous), next: positionOf(found.next) }
}

type Located = { readonly check: CheckRef; readonly result: Result }

const located = (of: CheckRef, results: readonly Result[]): Located[] => inOrder(of, results).map((result) => ({ check: of, result }))

/** Groups results one at a time; `failing` is ordered within each check. */
function naiveFailures(failing: readonly Located[]): FailureGroup[] {
  const byReason = grouped(failing, ({ result }) => (result.error === null ? null : reasonPattern(result.error)))
  return Array.from(byReason, ([reason, own]) => {
    const times = own.map(({ result }) => result.startedAt)
    const newest = own.filter(({ result }) => result.startedAt === Math.max(...times))
    const first = newest.map(({ check }) => check.checkId).sort()[0]
    const example = newest.filter(({ check }) => check.checkId === first).at(-1) as Located
    return {
      reason,
      count: own.length,
      firstAt: Math.min(...times),
      lastAt: Math.max(...times),
      locations: [...new Set(own.map(({ result }) => result.runLocation))].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
      checkIds: [...new Set(own.map(({ check }) => check.checkId))].sort(),
      example: { check: example.check, resultId: example.result.id, startedAt: example.result.startedAt, error: example.result.error },
    }
  }).sort((a, b) => b.count - a.count || b.lastAt - a.lastAt || compareReasons(a.reason, b.reason))
}

function compareReasons(a: string | null, b: string | null): number {
  if (a === null || b === null) return a === null ? 1 : -1
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}
