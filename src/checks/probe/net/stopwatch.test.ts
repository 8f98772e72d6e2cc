import fc from 'fast-check'
import { expect, test } from 'vitest'
import { stopwatch } from './stopwatch.ts'

function handClock() {
  let now = 1234.5678
  const pass = (ms: number) => {
    now += ms
  }
  return { now: () => now, pass }
}

test('a phase lasts from its start to the start of the next', () => {
  const clock = handClock()
  const watch = stopwatch(['dns', 'tcp', 'download'], clock.now)
  watch.start('dns')
  clock.pass(1.25)
  watch.start('tcp')
  clock.pass(3)
  watch.stop()
  expect(watch.phases()).toEqual({ dns: 1.25, tcp: 3, download: null })
  expect(watch.total()).toBe(4.25)
})

test('the time of a repeated phase accumulates', () => {
  const clock = handClock()
  const watch = stopwatch(['tcp'], clock.now)
  for (const ms of [2, 5]) {
    watch.start('tcp')
    clock.pass(ms)
    watch.stop()
    clock.pass(100)
  }
  expect(watch.phases()).toEqual({ tcp: 7 })
})

test('dropping a phase keeps what was measured of it before', () => {
  const clock = handClock()
  const watch = stopwatch(['data'], clock.now)
  watch.start('data')
  clock.pass(2)
  watch.start('data')
  clock.pass(1000)
  watch.drop()
  expect(watch.phases()).toEqual({ data: 2 })
})

test('an unfinished phase is null, and the current step has its name', () => {
  const watch = stopwatch(['tcp', 'firstByte'], handClock().now)
  watch.start('tcp', 'connect')
  expect(watch.at()).toBe('connect')
  expect(watch.phases()).toEqual({ tcp: null, firstByte: null })
  watch.start('firstByte')
  expect(watch.at()).toBe('firstByte')
})

test('the total is the sum of the phases to the microsecond', () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 50_000, noNaN: true }), { minLength: 3, maxLength: 3 }), (lengths) => {
      const clock = handClock()
      const watch = stopwatch(['dns', 'tcp', 'download'], clock.now)
      for (const [index, phase] of (['dns', 'tcp', 'download'] as const).entries()) {
        watch.start(phase)
        clock.pass(lengths[index] ?? 0)
      }
      watch.stop()
      const micros = Object.values(watch.phases()).map((ms) => Math.round((ms ?? 0) * 1000))
      expect(Math.round(watch.total() * 1000)).toBe(micros.reduce((sum, each) => sum + each, 0))
      expect(Object.values(watch.phases())).toEqual(micros.map((each) => each / 1000))
    }),
  )
})
