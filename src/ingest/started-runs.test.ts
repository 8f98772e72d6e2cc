import { expect, test } from 'vitest'
import { testCheck } from '../../test/support/catalogue.ts'
import { pingedTypes } from '../../test/support/example-config.ts'
import { createStartedRuns } from './started-runs.ts'

const [checkType] = pingedTypes
if (!checkType) throw new Error('no type waits for pings')
const job = (index: number) => testCheck(checkType, { id: `job-${index}` })

test('up to 20 runs of a job may be in progress, and the oldest is dropped', () => {
  const started = createStartedRuns()
  for (let run = 0; run <= 20; run++) started.start(job(0), `run ${run}`, run)
  expect(started.end(job(0), 'run 0', 1000)).toBeNull()
  expect(started.end(job(0), 'run 1', 1000)).toBe(999)
  expect(started.end(job(0), 'run 20', 1000)).toBe(980)
})

test('a run that begins again becomes the newest', () => {
  const started = createStartedRuns()
  for (let run = 0; run < 20; run++) started.start(job(0), `run ${run}`, run)
  started.start(job(0), 'run 0', 100)
  started.start(job(0), 'one more', 101)
  expect(started.end(job(0), 'run 0', 1000)).toBe(900)
  expect(started.end(job(0), 'run 1', 1000)).toBeNull()
})

test('up to 50,000 jobs may be in progress, and those that began least recently are dropped', () => {
  const started = createStartedRuns()
  for (let index = 0; index < 50_000; index++) started.start(job(index), '', index)
  started.start(job(0), '', 50_000)
  started.start(job(50_000), '', 50_001)
  expect(started.end(job(0), '', 60_000)).toBe(10_000)
  expect(started.end(job(1), '', 60_000)).toBeNull()
  expect(started.end(job(2), '', 60_000)).toBe(59_998)
  expect(started.end(job(50_000), '', 60_000)).toBe(9999)
})

test('a run ends once, with an id of any length, and has no duration if the clock was set back', () => {
  const started = createStartedRuns()
  const long = 'x'.repeat(1_000_000)
  started.start(job(0), long, 5)
  expect(started.end(job(0), `${long}y`, 7)).toBeNull()
  expect(started.end(job(0), long, 7)).toBe(2)
  expect(started.end(job(0), long, 7)).toBeNull()
  started.start(job(0), '', 5)
  expect(started.end(job(0), '', 4)).toBeNull()
})
