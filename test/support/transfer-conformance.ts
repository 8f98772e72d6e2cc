import { describe, expect, test } from 'vitest'
import { encodeEvidence } from '../../src/store/evidence.ts'
import type { CheckRef, FiledResult, Result } from '../../src/store/store.ts'
import type { Destination } from '../../src/store/transfer/contents.ts'
import { type Copy, copyChecks, copyDocuments } from '../../src/store/transfer/copy.ts'
import { verifyAnswers } from '../../src/store/transfer/verify-answers.ts'
import { verifyResults } from '../../src/store/transfer/verify-results.ts'
import { dayMs, hourMs, minuteMs } from '../../src/time.ts'
import { calm } from './results.ts'

/** Opens an empty source and an empty destination; `dispose` is called after both are closed. */
export type OpenSides = () => Promise<{ readonly source: Destination; readonly destination: Destination; dispose?(): Promise<void> }>

type WritableCopy = Copy & { readonly source: Destination }

const homepage: CheckRef = { account: 'acme', checkId: 'homepage' }
const shop: CheckRef = { account: 'other', checkId: 'shop' }
const start = Date.UTC(2026, 9, 30)

/** Guarantees for copies between every pair of stores. */
export function describeTransfer(name: string, open: OpenSides): void {
  const withSides = async (work: (copy: WritableCopy) => Promise<void>) => {
    const { source, destination, dispose } = await open()
    try {
      await work({ source, destination, advance: () => {}, settled: new Map() })
    } finally {
      await source.close()
      await destination.close()
      await dispose?.()
    }
  }

  describe(name, () => {
    test('copies results, evidence and definitions, and does nothing the second time', () =>
      withSides(async (copy) => {
        const all = [...resultsOf(homepage, 3000), ...resultsOf(shop, 500)]
        await copy.source.append(all)
        await define(copy.source)
        expect(await copyChecks(copy, await copy.source.checks())).toBe(all.length)
        await expectEqual(copy, all.length)
        expect(await copyChecks(copy, await copy.source.checks())).toBe(0)
        const failing = all.find(({ evidence }) => evidence)
        const query = { check: homepage, id: failing?.result.id ?? '', startedAt: failing?.result.startedAt ?? 0 }
        expect((await copy.destination.result(query))?.evidence).toEqual(failing?.evidence)
        await expectDefinitions(copy, [homepage, shop])
      }))

    test('copies documents with their versions, once', () =>
      withSides(async ({ source, destination }) => {
        const version = {
          kind: 'check',
          account: 'acme',
          id: 'shop',
          position: 1,
          ordinal: 1,
          at: start,
          keyId: 'k',
          keyName: 'ann',
          action: 'update',
        }
        const versions = Array.from({ length: 450 }, (_, index) => ({ ...version, version: index + 1, changes: '[]', body: `"${index}"` }))
        expect(await source.addDocuments(versions)).toBe(450)
        expect(await copyDocuments(source, destination)).toBe(450)
        expect(await copyDocuments(source, destination)).toBe(0)
        const copied = await destination.documentsAfter({ position: 0, ordinal: 0 }, 1000)
        expect(copied.map(({ position: _, ordinal: __, ...rest }) => rest)).toEqual(
          versions.map(({ position: _, ordinal: __, ...rest }) => rest),
        )
      }))

    test('resumes after an interruption without duplicate or missing results', () =>
      withSides(async (copy) => {
        const all = resultsOf(homepage, 11_000, 20_000)
        await copy.source.append(all)
        const checks = await copy.source.checks()
        await expect(copyChecks({ ...copy, destination: failingAfter(copy.destination, 1) }, checks)).rejects.toThrow('broken off')
        const [counts = []] = await copy.destination.dayCounts([homepage])
        const there = counts.reduce((sum, { results }) => sum + results, 0)
        expect(there).toBeGreaterThan(0)
        expect(await copyChecks(copy, checks)).toBe(all.length - there)
        await expectEqual(copy, all.length)
      }))

    test('copies late results of days that were copied before, and reads only those hours', () =>
      withSides(async (copy) => {
        await copy.source.append(resultsOf(homepage, 2000))
        await copyChecks(copy, [homepage])
        const late = { ...resultsOf(homepage, 1)[0]?.result, startedAt: start + dayMs + 5, id: 'late' } as Result
        await copy.source.append([{ check: homepage, result: late }])
        const windows: number[] = []
        const source = { ...copy.source, scan: counting(copy.source, windows) }
        expect(await copyChecks({ ...copy, source }, [homepage])).toBe(1)
        expect(windows).toEqual([hourMs])
        await expectEqual(copy, 2001)
      }))

    test('keeps and reports results that only the destination has, even if their number hides missing ones', () =>
      withSides(async (copy) => {
        const all = resultsOf(homepage, 300)
        await copy.source.append(all)
        const others = all.slice(0, 10).map(({ check, result }, i) => ({ check, result: { ...result, id: `other-${i}` } }))
        await copy.destination.append([...all.slice(10), ...others])
        expect(await copyChecks(copy, [homepage])).toBe(0)
        const { added, missing, more } = await verifyResults(copy, [homepage])
        expect({ added, missing }).toEqual({ added: 10, missing: [] })
        expect(more.reduce((sum, { source, destination }) => sum + destination - source, 0)).toBe(10)
        expect(await verifyAnswers(copy, [homepage], () => {})).toMatchObject({ unequal: [] })
      }))

    test('detects a result with the same id but other content by its query results', () =>
      withSides(async (copy) => {
        const all = resultsOf(homepage, 50)
        await copy.source.append(all)
        await copy.destination.append(all.slice(0, 1).map(({ check, result }) => ({ check, result: { ...result, values: { dns: 77 } } })))
        await copyChecks(copy, [homepage])
        expect(await verifyResults(copy, [homepage])).toMatchObject({ missing: [], more: [] })
        const { unequal } = await verifyAnswers(copy, [homepage], () => {})
        expect(unequal.map(({ question }) => question)).toEqual(expect.arrayContaining(['all figures of the window', 'whole results']))
      }))

    test('keeps definitions that the destination recorded itself in addition to earlier ones', () =>
      withSides(async (copy) => {
        await define(copy.source)
        const later = { seenAt: start + 50 * dayMs, fingerprint: 'c', rhythm: { periodMs: 5 * minuteMs, graceMs: 1000 } }
        await copy.destination.addDefinitions([{ check: homepage, changes: [later] }])
        await copyChecks(copy, [homepage])
        const [source = []] = await copy.source.definitionsOf([homepage])
        const [found = []] = await copy.destination.definitionsOf([homepage])
        expect(found.map(({ seenAt, rhythm }) => ({ seenAt, rhythm }))).toEqual(
          [...source, later].map(({ seenAt, rhythm }) => ({ seenAt, rhythm })),
        )
        await copyChecks(copy, [homepage])
        expect(await copy.destination.definitionsOf([homepage])).toEqual([found])
      }))
  })
}

async function expectEqual(copy: Copy, results: number): Promise<void> {
  const checks = await copy.source.checks()
  expect(await verifyResults(copy, checks)).toEqual({ results, added: 0, missing: [], more: [] })
  const { questions, unequal } = await verifyAnswers(copy, checks, () => {})
  expect(unequal).toEqual([])
  expect(questions).toBeGreaterThan(10)
}

/** A data folder knows that earlier fingerprints differed, but not their values. */
async function expectDefinitions({ source, destination }: Copy, checks: readonly CheckRef[]): Promise<void> {
  const histories = await Promise.all([source, destination].map((side) => side.definitionsOf(checks)))
  const [own, copied] = histories.map((all) =>
    all.map((changes) => changes.map((change, i) => (i < changes.length - 1 ? { ...change, fingerprint: '' } : change))),
  )
  expect(copied).toEqual(own)
  expect(own?.map(({ length }) => length)).toEqual(checks.map(() => 2))
}

async function define({ addDefinitions }: Destination): Promise<void> {
  const changes = [
    { seenAt: start, fingerprint: 'a', rhythm: { periodMs: minuteMs, locations: 2, parallel: true } },
    { seenAt: start + dayMs, fingerprint: 'b', rhythm: { periodMs: 2 * minuteMs, locations: 1, parallel: false } },
  ]
  await addDefinitions([homepage, shop].map((check) => ({ check, changes })))
}

/** Results over days at two locations, some with their own ids, some failing with evidence. */
function resultsOf(check: CheckRef, count: number, stepMs = 2 * minuteMs): readonly FiledResult[] {
  const screenshot = Buffer.from(`screenshot of ${check.checkId}`)
  const evidence = encodeEvidence({ attempts: [], screenshot }, { evidenceBytes: 10_000, screenshotBytes: 10_000 })
  return Array.from({ length: count }, (_, i) => {
    const hasFailures = i % 97 === 0
    const result = {
      ...calm,
      id: i % 3 === 0 ? `run-${i}` : null,
      startedAt: start + i * stepMs,
      runLocation: ['eu', 'Ω us'][i % 2] ?? '',
      hasFailures,
      error: hasFailures ? (i < 100 ? 'closed' : `refused ${i}`) : null,
      values: { dns: (i * 7919) % 1000, ratio: Math.sqrt(i), ...(i % 5 > 0 && { statusCode: 200 }) },
      pages: i % 50 === 0 ? [{ pageUrl: 'https://example.test/', values: { LCP: i / 8 } }] : [],
    }
    return { check, result, ...(hasFailures && evidence && { evidence }) }
  })
}

/** A destination that stores `batches` batches and then fails. */
function failingAfter(destination: Destination, batches: number): Destination {
  let stored = 0
  return {
    ...destination,
    append(results) {
      if (stored++ < batches) return destination.append(results)
      return Promise.reject(new Error('broken off'))
    },
  }
}

/** Scans, and records the length of each window. */
function counting(source: Destination, lengths: number[]): Destination['scan'] {
  return (check, window, options) => {
    lengths.push(window.to + 1 - window.from)
    return source.scan(check, window, options)
  }
}
