import fc from 'fast-check'
import { expect, test } from 'vitest'
import { temporaryStore } from '../../../test/support/temporary-store.ts'
import { changesOf, missingChanges } from './definition-changes.ts'

const rhythm = { periodMs: 60_000, locations: 1, parallel: true }
const slower = { periodMs: 300_000, graceMs: 1000 }

test('the changes of a definition have its creation, its last change and the history of its rhythm', () => {
  const regimes = [
    { from: 10, ...rhythm },
    { from: 30, ...slower },
  ]
  expect(changesOf({ fingerprint: 'new', createdAt: 10, updatedAt: 40, regimes })).toEqual([
    { seenAt: 10, fingerprint: '', rhythm },
    { seenAt: 30, fingerprint: '', rhythm: slower },
    { seenAt: 40, fingerprint: 'new', rhythm: slower },
  ])
})

test('before the first regime, the newest one applies', () => {
  const regimes = [{ from: 20, ...slower }]
  expect(changesOf({ fingerprint: 'f', createdAt: 10, updatedAt: 10, regimes })[0]).toEqual({
    seenAt: 10,
    fingerprint: 'f',
    rhythm: slower,
  })
  expect(changesOf({ fingerprint: 'f', createdAt: 10, updatedAt: 10, regimes: [] })).toEqual([])
})

test('recorded changes are not missing, whatever is known about earlier fingerprints', () => {
  const recorded = [{ seenAt: 10, fingerprint: 'a', rhythm }]
  expect(missingChanges([{ seenAt: 10, fingerprint: '', rhythm }], recorded)).toEqual([])
  expect(missingChanges([{ seenAt: 10, fingerprint: 'b', rhythm }], [{ seenAt: 10, fingerprint: '', rhythm }])).toEqual([])
  expect(missingChanges([{ seenAt: 10, fingerprint: 'b', rhythm }], recorded)).toHaveLength(1)
  expect(missingChanges([{ seenAt: 10, fingerprint: 'a', rhythm: slower }], recorded)).toHaveLength(1)
})

test('a check is the same if its changes are recorded at once, in any batches', async () => {
  const check = { account: 'acme', checkId: 'homepage' }
  const change = fc.record({ fingerprint: fc.constantFrom('a', 'b', 'c'), rhythm: fc.constantFrom(rhythm, slower) })
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 6 }), fc.nat(6), async (steps, cut) => {
      const changes = steps.map((step, i) => ({ ...step, seenAt: 1000 * (i + 1) }))
      const [{ store: lived }, { store: copied }] = [await temporaryStore(), await temporaryStore()]
      for (const { seenAt, ...definition } of changes) await lived.recordDefinitions([{ ...check, ...definition }], seenAt)
      await copied.addDefinitions([{ check, changes: changes.slice(cut) }])
      await copied.addDefinitions([{ check, changes }])
      const last = changes.at(-1)
      const asked = [{ ...check, fingerprint: last?.fingerprint ?? '', rhythm: last?.rhythm ?? rhythm }]
      expect(await copied.recordDefinitions(asked, 99_000)).toEqual(await lived.recordDefinitions(asked, 99_000))
    }),
    { numRuns: 10 },
  )
})
