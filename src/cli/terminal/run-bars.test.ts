import { expect, test } from 'vitest'
import { count, milliseconds } from '../../checks/metric.ts'
import type { Paint } from './paint.ts'
import { bars } from './run-bars.ts'

const metrics = { total: milliseconds('Total'), dns: milliseconds('Lookup'), wait: milliseconds('Waiting'), hops: count('Hops') }
const checkType = { metrics, duration: 'total', phases: ['dns', 'wait'] }
const paint: Paint = (tone, text) => (tone === 'strong' ? `[${text}]` : `(${text})`)

test('phases are bars one after the other, and the whole run is the last one', () => {
  expect(bars({ checkType, values: { total: 100, dns: 25, wait: 73, hops: 3 }, paint })).toEqual([
    `  Lookup   (${'█'.repeat(10).padEnd(40)})         25 ms`,
    `  Waiting  (${`${' '.repeat(10)}${'█'.repeat(29)}▏`})         73 ms`,
    `  Total    [${'█'.repeat(40)}]        100 ms`,
  ])
})

test('a tiny duration has the smallest bar, and zero has none', () => {
  expect(bars({ checkType, values: { total: 1000, dns: 0.001, wait: 0 }, paint })).toEqual([
    `  Lookup   (${'▏'.padEnd(40)})      0.001 ms`,
    `  Waiting  (${' '.repeat(40)})          0 ms`,
    `  Total    [${'█'.repeat(40)}]      1,000 ms`,
  ])
  expect(bars({ checkType, values: { total: 0 }, paint })).toEqual([`  Total  [${' '.repeat(40)}]          0 ms`])
})
