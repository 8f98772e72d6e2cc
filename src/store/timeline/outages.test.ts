import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  chunksOf,
  type History,
  histories,
  inOrder,
  naiveIntervals,
  naiveLocationState,
  naiveState,
  type Row,
  windows,
} from '../../../test/support/timeline.ts'
import type { Span } from '../../calendar/window.ts'
import { collectOutages, describeFailures, type Outage, type OutageFailures, resultWindow } from './outages.ts'
import { sweep } from './sweep.ts'

const always = { from: -10, to: 1000 }

describe('outages', () => {
  test('are the maximal down intervals that touch the window, complete, in any order of arrival', () => {
    fc.assert(
      fc.property(histories, windows, (history, window) => {
        const expected = naiveOutages(history, window)
        expect(outagesOf(history, window)).toEqual(expected)
        expect(outagesOf({ ...history, rows: history.rows.toReversed() }, window)).toEqual(expected)
      }),
      { numRuns: 200 },
    )
  })
  test('have the first, last and most frequent error of their failing results', () => {
    fc.assert(
      fc.property(histories, (history) => {
        for (const outage of outagesOf(history, always)) {
          const failing = failingIn(history, outage)
          expect(failuresOf(failing)).toEqual(naiveFailures(failing))
        }
      }),
    )
  })
  test('list locations in order of UTF-8 bytes, which may differ from UTF-16', () => {
    const rows = ['😀', '\uff5e', 'z'].map((location) => row(10, location))
    expect(outagesOf(historyOf(rows, 20), always)[0]?.locations).toEqual(['z', '\uff5e', '😀'])
  })
  test('last until now while the check is down', () => {
    const [outage] = outagesOf(historyOf([row(10, 'eu')], 20), always)
    expect(outage).toMatchObject({ from: 10, to: null })
    expect(outage && resultWindow(outage, 20)).toEqual({ from: 10, to: 20 })
  })
  test('that are open have the locations that are down now, also since now', () => {
    expect(outagesOf(historyOf([row(10, 'eu'), row(20, 'us')], 20), always)).toMatchObject([{ to: null, locations: ['eu', 'us'] }])
  })
  test('are closed by a result of now, or by a hold that ends now', () => {
    expect(outagesOf(historyOf([row(10, 'eu'), row(20, 'eu', 0)], 20), always)).toMatchObject([{ from: 10, to: 20 }])
    expect(outagesOf(historyOf([row(10, 'eu')], 40), always)).toMatchObject([{ from: 10, to: 40 }])
  })
  test('that are open include a location that is down only since now', () => {
    expect(outagesOf(historyOf([row(10, 'us'), row(40, 'eu')], 40), always)).toEqual([{ from: 10, to: null, locations: ['eu', 'us'] }])
  })
  test('touch a window that ends when they begin, but not one that begins when they end', () => {
    const history = historyOf([row(10, 'eu'), row(20, 'eu', 0)], 30)
    expect(outagesOf(history, { from: 0, to: 10 })).toHaveLength(1)
    expect(outagesOf(history, { from: 0, to: 9 })).toHaveLength(0)
    expect(outagesOf(history, { from: 19, to: 30 })).toHaveLength(1)
    expect(outagesOf(history, { from: 20, to: 30 })).toHaveLength(0)
  })
  test('may have no failing result, if a majority forms as others become unknown', () => {
    const history: History = { ...historyOf([row(10, 'us', 0), row(15, 'eu')], 60), quorum: 'majority' }
    const [outage] = outagesOf(history, always)
    expect(outage).toEqual({ from: 40, to: 45, locations: ['eu'] })
    expect(failuresOf(outage ? failingIn(history, outage) : [])).toEqual({ firstResultId: null, lastResultId: null, reason: null })
  })
})

describe('the reason', () => {
  test('is the newest of equally frequent errors', () => {
    expect(reasonOf(['timeout', 'refused', 'refused', null, 'timeout'])).toBe('timeout')
    expect(reasonOf(['timeout', 'timeout', 'refused', 'refused', null])).toBe('refused')
  })
  test('is the most frequent error, even if another is newer', () => {
    expect(reasonOf(['timeout', 'timeout', 'refused'])).toBe('timeout')
  })
  test('is null if no failing result has an error', () => {
    expect(reasonOf([null, null])).toBeNull()
  })
})

function row(startedAt: number, location: string, outcome = 2, error: string | null = null): Row {
  return { startedAt, location, outcome, id: `${location}-${startedAt}`, error }
}

function historyOf(rows: readonly Row[], now: number): History {
  return { rows, regimes: [{ from: 0, periodMs: 20, locations: 1, parallel: true }], quorum: 1, now }
}

function outagesOf({ rows, regimes, quorum, now }: History, window: Span): readonly Outage[] {
  const { chunks, names } = chunksOf(rows, 5)
  const { onInterval, onDown, outages } = collectOutages({
    window,
    nameOf: (location) => names[location] ?? '',
  })
  const sweeping = sweep({ regimes, quorum, now, onInterval, onDown })
  for (const chunk of chunks) sweeping.push(chunk)
  sweeping.end()
  return outages
}

function naiveOutages(history: History, window: Span): readonly Outage[] {
  const names = [...new Set(history.rows.map(({ location }) => location))]
  const down = naiveIntervals((at) => naiveState(history, at), { from: -10, to: history.now }).filter(({ state }) => state === 'down')
  return down
    .filter(({ from, to }) => from <= window.to && to > window.from)
    .map(({ from, to }) => {
      const lasts = to === history.now && naiveState(history, to) === 'down'
      const instants = Array.from({ length: to - from + Number(lasts) }, (_, i) => from + i)
      const isDown = (name: string) => instants.some((at) => naiveLocationState(history, name, at) === 'down')
      const locations = names.filter(isDown).sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
      return { from, to: lasts ? null : to, locations }
    })
}

function failingIn({ rows, now }: History, outage: Outage): readonly Row[] {
  const { from, to } = resultWindow(outage, now)
  return inOrder(rows).filter(({ startedAt, outcome }) => outcome === 2 && startedAt >= from && startedAt <= to)
}

function failuresOf(failing: readonly Row[]): OutageFailures {
  return describeFailures({
    rows: failing.keys(),
    idOf: (i) => failing[i]?.id ?? '',
    errorOf: (i) => failing[i]?.error ?? null,
  })
}

function naiveFailures(failing: readonly Row[]): OutageFailures {
  const errors = failing.map(({ error }) => error).filter((error) => error !== null)
  const count = (text: string) => errors.filter((error) => error === text).length
  const most = Math.max(...errors.map(count))
  return {
    firstResultId: failing[0]?.id ?? null,
    lastResultId: failing.at(-1)?.id ?? null,
    reason: errors.findLast((error) => count(error) === most) ?? null,
  }
}

function reasonOf(errors: readonly (string | null)[]): string | null {
  return failuresOf(errors.map((error, i) => row(i, 'eu', 2, error))).reason
}
