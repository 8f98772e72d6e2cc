import { describe, expect, test } from 'vitest'
import { dayMs, hourMs, minuteMs } from '../../time.ts'
import { logNormal, randomFrom } from './random.ts'
import { conditionsAt, failingTag, slowTag } from './scenario.ts'

/** At eight, durations are at their daily mean. */
const end = Date.parse('2026-11-14T08:00:00Z')
const at = (ago: number, locationIndex = 0, ...tags: readonly string[]) => conditionsAt(end, { time: end - ago, locationIndex, tags })
/** The ratio of durations to those at the same hour long before, at the first location. */
const factor = (ago: number, locationIndex = 0, ...tags: readonly string[]) =>
  at(ago, locationIndex, ...tags).level / at((ago % dayMs) + 40 * dayMs).level

describe('the scenario', () => {
  test.each([
    [0, 1],
    [-6 * hourMs, 1.22],
    [-12 * hourMs, 1],
    [6 * hourMs, 0.78],
  ])('has a daily cycle', (ago, level) => {
    expect(at(40 * dayMs + ago).level).toBeCloseTo(level, 9)
  })

  test.each([
    ['usual nearby', 0, 0, [], 1],
    ['farther with each location', 0, 1, [], 1.4],
    ['farther with each location', 0, 3, [], 2.2],
    ['usual until nine days ago', 9 * dayMs, 0, [], 1],
    ['slow before that', 9 * dayMs + 1, 0, [], 1.55],
    ['slow up to 16 days ago', 16 * dayMs - 1, 2, [], 1.8 * 1.55],
    ['usual before that', 16 * dayMs, 0, [], 1],
    ['slow for five hours where it searches', 5 * hourMs - 1, 0, ['shop', slowTag], 3.6],
    ['usual before that', 5 * hourMs, 0, ['shop', slowTag], 1],
    ['usual elsewhere', 0, 0, ['shop'], 1],
    ['slow in an outage', 20 * dayMs + 1, 0, ['shop'], 2.5],
    ['slow on a broken route', 5 * dayMs + 1, 1, [], 1.4 * 3],
  ])('is %s', (_, ago, locationIndex, tags, times) => {
    expect(factor(ago, locationIndex, ...tags)).toBeCloseTo(times, 9)
  })

  const usual = { failing: 0.0007, retried: 0.006 }
  const broken = { failing: 0.45, retried: 0.4 }
  const outage = { failing: 0.92, retried: 0.5 }
  test.each([
    ['fails always for three hours at the checks of gift cards', 3 * hourMs - 1, 0, [failingTag], { failing: 1, retried: 1 }],
    ['fails seldom before that', 3 * hourMs, 0, [failingTag], usual],
    ['fails seldom where it is slow', 0, 0, [slowTag], usual],
    ['fails seldom before the outage', 20 * dayMs + 45 * minuteMs, 0, ['shop'], usual],
    ['fails mostly in the outage', 20 * dayMs + 45 * minuteMs - 1, 0, ['shop'], outage],
    ['fails mostly in the outage, at every location', 20 * dayMs + 1, 2, ['shop'], outage],
    ['fails seldom after the outage', 20 * dayMs, 0, ['shop'], usual],
    ['fails seldom beside the shop', 20 * dayMs + 1, 0, ['other'], usual],
    ['fails often on the broken route', 5 * dayMs + 2 * hourMs - 1, 1, [], broken],
    ['fails seldom before that', 5 * dayMs + 2 * hourMs, 1, [], usual],
    ['fails seldom after that', 5 * dayMs, 1, [], usual],
    ['fails seldom on other routes', 5 * dayMs + 1, 0, [], usual],
  ])('%s', (_, ago, locationIndex, tags, expected) => {
    expect(at(ago, locationIndex, ...tags)).toMatchObject(expected)
  })
})

describe('random numbers', () => {
  test('follow Mulberry32 by seed', () => {
    const random = randomFrom(1)
    expect([random(), random(), random()]).toEqual([0.6270739405881613, 0.002735721180215478, 0.5274470399599522])
    expect(randomFrom(2)()).toBe(0.7342509443406016)
  })
  test('have a log-normal distribution around the typical value', () => {
    expect(logNormal(() => 0, 80, 0.5)).toBe(80)
    expect(logNormal(() => 0.5, 80, 0)).toBe(80)
    expect(logNormal(() => 0.5, 80, 0.5)).toBeCloseTo(80 * Math.exp(-0.5 * Math.sqrt(2 * Math.LN2)), 9)
  })
})
