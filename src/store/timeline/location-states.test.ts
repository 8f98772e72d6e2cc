import fc from 'fast-check'
import { expect, test } from 'vitest'
import { setLocationState, trackLocations } from './location-states.ts'
import { downCode, unknownCode } from './state.ts'

test('down locations, and the number of locations in each state, are known after any changes', () => {
  const change = fc.record({ location: fc.nat({ max: 12 }), code: fc.nat({ max: unknownCode }) })
  fc.assert(
    fc.property(fc.array(change, { maxLength: 60 }), (changes) => {
      const [states, naive] = [trackLocations(), new Map<number, number>()]
      for (const { location, code } of changes) {
        setLocationState(states, location, code)
        naive.set(location, code)
        const { members, size } = states.down
        const down = [...naive].filter(([, one]) => one === downCode).map(([one]) => one)
        expect([...members.slice(0, size)].sort((a, b) => a - b)).toEqual(down.sort((a, b) => a - b))
        for (let one = 0; one < unknownCode; one++)
          expect(states.tally[one]).toBe([...naive.values()].filter((known) => known === one).length)
      }
    }),
  )
})
