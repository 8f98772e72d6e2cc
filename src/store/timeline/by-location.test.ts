import fc from 'fast-check'
import { expect, test } from 'vitest'
import { chunksOf, histories, naiveIntervals, naiveLocationState } from '../../../test/support/timeline.ts'
import { sweepByLocation } from './by-location.ts'
import { collectIntervals } from './interval.ts'
import { clipTo } from './overlay.ts'
import { isPinged } from './regime.ts'

const runHistories = histories.filter(({ regimes }) => !regimes.some(isPinged))

test('states of each location match the definition at every millisecond', () => {
  fc.assert(
    fc.property(runHistories, fc.integer({ min: 1, max: 9 }), (history, chunkRows) => {
      const { chunks, names } = chunksOf(history.rows, chunkRows)
      const collected = names.map(() => collectIntervals())
      const span = { from: -10, to: history.now }
      const sinkOf = (location: number) => clipTo([span], collected[location]?.onInterval ?? (() => {}))
      const sweeping = sweepByLocation({ ...history, sinkOf })
      for (const chunk of chunks) sweeping.push(chunk)
      const open = sweeping.settle(history.now)
      sweeping.end()
      expect(open).toHaveLength(names.length)
      for (const [i, name] of names.entries()) {
        expect(collected[i]?.intervals).toEqual(naiveIntervals((at) => naiveLocationState(history, name, at), span))
      }
    }),
  )
})
