import { describe, expect, test } from 'vitest'
import { calm } from '../../test/support/results.ts'
import { checkState, currentResults, locationStates } from './current-state.ts'
import type { Latest, Result } from './store.ts'

const minute = 60_000
const now = Date.UTC(2026, 10, 14, 12)
const check = {
  activated: true,
  everyMs: minute,
  locations: ['eu', 'us'],
  agentLocations: [] as string[],
  runParallel: true,
  checkType: {},
}

describe('the state of a check', () => {
  test('is paused if it is not activated, whatever its results', () => {
    expect(checkState({ ...check, activated: false }, latest(result('eu', { hasFailures: true })), now)).toBe('paused')
  })
  test('is unknown before its first result', () => {
    expect(checkState(check, undefined, now)).toBe('unknown')
  })
  test('is unknown after three periods without a result, and not a millisecond sooner', () => {
    expect(checkState(check, latest(result('eu', { startedAt: now - 3 * minute })), now)).toBe('passing')
    expect(checkState(check, latest(result('eu', { startedAt: now - 3 * minute - 1 })), now)).toBe('unknown')
  })
  test('is failing when the latest result of any of its locations is failing', () => {
    const old = result('us', { hasFailures: true, startedAt: now - 10 * minute })
    expect(checkState(check, latest(result('eu'), old), now)).toBe('failing')
  })
  test('ignores a location without agents for three periods, even if it failed last', () => {
    const failed = (agoMs: number) => latest(result('eu'), result('us', { hasFailures: true, startedAt: now - agoMs }))
    const byAgents = { ...check, agentLocations: ['us'] }
    expect(checkState(byAgents, failed(3 * minute), now)).toBe('failing')
    expect(checkState(byAgents, failed(3 * minute + 1), now)).toBe('passing')
    expect(
      checkState({ ...byAgents, locations: ['us'] }, latest(result('us', { hasFailures: true, startedAt: now - 4 * minute })), now),
    ).toBe('unknown')
    const inTurns = { ...byAgents, runParallel: false }
    expect(checkState(inTurns, failed(6 * minute), now)).toBe('failing')
    expect(checkState(inTurns, failed(6 * minute + 1), now)).toBe('passing')
  })
  test('is degraded if a location is degraded and none is failing', () => {
    expect(checkState(check, latest(result('eu'), result('us', { isDegraded: true })), now)).toBe('degraded')
    expect(checkState(check, latest(result('eu', { hasFailures: true }), result('us', { isDegraded: true })), now)).toBe('failing')
  })
  test('keeps the last ping of a check that receives pings, which has no locations', () => {
    const pinged = { ...check, locations: [], checkType: { pingSettings: () => ({ periodMs: minute, graceMs: 0, tokenHash: '' }) } }
    const missed = result('ping', { hasFailures: true, startedAt: now - 10 * minute })
    expect(currentResults(pinged, latest(missed), now)).toEqual([missed])
    expect(checkState(pinged, latest(missed), now)).toBe('unknown')
  })
  test('ignores a location that the check no longer has', () => {
    const gone = result('asia', { hasFailures: true, startedAt: now - 10 * minute })
    expect(checkState(check, latest(result('eu'), gone), now)).toBe('passing')
  })
})

describe('the states of locations', () => {
  const round = { ...check, runParallel: false }
  const states = (of: typeof round, ...results: readonly Result[]) =>
    locationStates(of, latest(...results), now).map(({ runLocation, state }) => `${runLocation} ${state}`)

  test('are those of their newest results, and unknown before', () => {
    expect(states(round, result('eu', { isDegraded: true }))).toEqual(['eu degraded', 'us unknown'])
    expect(states(round, result('eu'), result('us', { hasFailures: true }))).toEqual(['eu passing', 'us failing'])
  })
  test('are unknown after three missing runs of the location, which takes longer with round robin', () => {
    const old = result('us', { startedAt: now - 4 * minute })
    expect(states({ ...round, runParallel: true }, result('eu'), old)).toEqual(['eu passing', 'us unknown'])
    expect(states(round, result('eu'), old)).toEqual(['eu passing', 'us passing'])
  })
  test('keep a failure that makes the check fail', () => {
    const old = result('us', { hasFailures: true, startedAt: now - 10 * minute })
    expect(states(round, result('eu'), old)).toEqual(['eu passing', 'us failing'])
    expect(states(round, old)).toEqual(['eu unknown', 'us unknown'])
  })
  test('are all paused if the check is not activated, and include a removed location while its result is recent', () => {
    expect(states({ ...round, activated: false }, result('eu'))).toEqual(['eu paused', 'us paused'])
    expect(states(round, result('eu'), result('asia'))).toEqual(['eu passing', 'us unknown', 'asia passing'])
  })
})

function latest(...byLocation: readonly Result[]): Latest {
  return { revision: '1', byLocation }
}

function result(runLocation: string, more: Partial<Result> = {}): Result {
  return {
    id: runLocation,
    startedAt: now - minute,
    runLocation,
    ...calm,
    values: {},
    pages: [],
    ...more,
  }
}
