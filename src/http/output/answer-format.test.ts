import fc from 'fast-check'
import { expect, test } from 'vitest'
import { jsonInTurns } from './answer-format.ts'

test('the text equals that of JSON.stringify, also for nested long lists', async () => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue(), fc.nat(450), fc.nat(250), async (value, outer, inner) => {
      const row = { a: 1, b: null, c: undefined, d: value }
      const data = new Array<object>(inner).fill(row)
      const answer = {
        from: 'x',
        gone: undefined,
        series: new Array<object>(outer % 9).fill({ key: value, data }),
        list: new Array(outer).fill(value),
      }
      expect(await jsonInTurns(answer)).toBe(JSON.stringify(answer))
      expect(await jsonInTurns(answer.list)).toBe(JSON.stringify(answer.list))
    }),
    { numRuns: 30 },
  )
})

test('other work runs while a long response is serialized', async () => {
  const row = { period: '2026-11-14T10:00:00.000Z', total: 1440, success: 1431, availability: 99.375 }
  const wide = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`metric${i}`, i]))
  const answers = [
    { series: [{ data: new Array<object>(50_000).fill(row) }] },
    { series: new Array<object>(50_000).fill({ check: 'a', data: [row] }) },
    { series: new Array<object>(100).fill({ data: new Array<object>(100).fill(wide) }) },
  ]
  for (const answer of answers) expect(await turnsDuring(() => jsonInTurns(answer))).toBeGreaterThan(10)
})

/** How many turns of the event loop pass during some work. */
async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0
  const count = () => {
    turns++
    immediate = setImmediate(count)
  }
  let immediate = setImmediate(count)
  await work()
  clearImmediate(immediate)
  return turns
}
