import { describe, expect, test } from 'vitest'
import { checkTypes } from '../checks/registry.ts'
import { aggregations } from '../store/store.ts'
import { metricEntries, metricFinder, metricNames, planColumns } from './metric-names.ts'

describe.each(checkTypes.map((checkType) => [checkType.type, checkType] as const))('the metrics of %s checks', (_, checkType) => {
  const bases = Object.keys(checkType.metrics)
  const names = metricNames(checkType).map(({ name }) => name)

  test('are the base names, availability, retries, then each base name with its suffixes', () => {
    expect(names).toEqual([
      ...bases,
      'availability',
      'retries',
      ...bases.flatMap((base) => aggregations.map((aggregation) => `${base}_${aggregation}`)),
    ])
  })
  test('are found by their names', () => {
    const find = metricFinder(checkType)
    expect(names.map((name) => find(name).name)).toEqual(names)
  })
  test('are aggregated unless they are base names', () => {
    for (const { name, aggregated } of metricEntries(checkType)) expect(aggregated).toBe(!bases.includes(name))
  })
  test('have the label and unit of their base name, whatever the suffix', () => {
    for (const { name, label, unit } of metricEntries(checkType)) {
      const base = checkType.metrics[name.replace(/_[a-z0-9]+$/, '')]
      if (base) expect({ label, unit }).toEqual({ label: base.label, unit: base.unit })
    }
  })
  test('suggest the nearest for an unknown name', () => {
    const find = metricFinder(checkType)
    expect(() => find('availabilty')).toThrow(/^"availabilty" is no metric of \w+ checks\. Nearest: availability/)
    expect(() => find('availability_p99')).toThrow(/is no metric/)
    expect(() => find('__proto__')).toThrow(/is no metric/)
  })
})

test('with a confidence, percentiles have bounds, and nothing else has', () => {
  const named = aggregations.map((aggregation) => ({ kind: 'aggregated', name: aggregation, metric: 'total', aggregation }) as const)
  const { columns } = planColumns([...named, { kind: 'availability', name: 'availability' }], 0.95)
  expect(columns.filter(({ bounds }) => bounds).map(({ name }) => name)).toEqual(['median', 'p50', 'p90', 'p95', 'p99'])
  expect(planColumns(named).columns.filter(({ bounds }) => bounds)).toEqual([])
})
