import { expect, test } from 'vitest'
import type { Check, CheckType } from '../api/answers.ts'
import { checkViewState } from './check-options.ts'
import { expectedDrawing, type Panel, type PanelContext } from './panel.ts'
import { panelsOf } from './panels.ts'

const now = Date.parse('2026-11-14T10:00:00Z')
const check = { id: 'shop', name: 'Shop', frequency: 5, locations: ['eu', 'us'] } as unknown as Check
const metric = (name: string, unit: string, perPage = false) => ({ name, unit, label: `The ${name}`, perPage })
const checkType = {
  endpoint: '/v1/analytics/any',
  duration: 'total',
  metrics: [metric('total', 'milliseconds'), metric('connect', 'milliseconds'), metric('loss', 'percentage'), metric('errors', 'count')],
  groupBy: [
    { name: 'runLocation', by: 'location' },
    { name: 'statusCode', by: 'field' },
    { name: 'page', by: 'page' },
  ],
  filterByStatus: ['passed', 'failed'],
  phases: ['connect', 'other'],
} as unknown as CheckType
const withVitals = {
  ...checkType,
  metrics: [...checkType.metrics, metric('LCP', 'milliseconds', true), metric('TBT', 'milliseconds')],
} as CheckType

function contextOf(query: string, type = checkType): PanelContext {
  const route = { path: '/', query: new URLSearchParams(query), above: {}, zooms: [] }
  return { check, checkType: type, state: checkViewState(route, check, type, now) }
}
const panels = (query: string, type = checkType) => panelsOf(contextOf(query, type))
const outline = ({ id, title, note, height, query }: Panel) => [id, title, note, height, query.metrics, query.groupBy]
const panelOf = (query: string, id: string, type = checkType) => panels(query, type).find((panel) => panel.id === id) as Panel

/** The drawing of a panel for rows with these figures. */
function drawn(panel: Panel, ...figures: readonly Readonly<Record<string, unknown>>[]) {
  const period = new Date(now).toISOString()
  const series = figures.map(({ group, ...row }) => ({
    ...(panel.query.groupBy && { [panel.query.groupBy]: group }),
    data: [{ period, ...row }],
  }))
  return panel.draw({ name: '', from: period, to: period, metadata: {}, series })
}

test('a check has panels of its percentiles, percentage metrics, availability and phases', () => {
  expect(panels('').map(outline)).toEqual([
    ['main', 'The total', 'p50 to p99', 260, ['total_p99', 'total_p95', 'total_p90', 'total_p50'], null],
    ['loss', 'The loss', 'avg', 110, ['loss_avg'], null],
    ['availability', 'Availability', 'runs that passed and failed', 130, ['availability'], null],
    ['phases', 'Phases', 'mean of each, stacked', 200, ['connect_avg', 'other_avg'], null],
  ])
})

test('a selected metric comes first, and is not repeated', () => {
  expect(panels('metric=loss&aggregation=max').map(outline)).toEqual([
    ['main', 'The loss', 'max', 110, ['loss_max'], null],
    ['availability', 'Availability', 'runs that passed and failed', 130, ['availability'], null],
    expect.arrayContaining(['phases']),
  ])
  expect(panels('metric=availability').map(outline)).toEqual([
    ['main', 'Availability', 'runs that passed and failed', 240, ['availability'], null],
    expect.arrayContaining(['phases']),
  ])
  expect(outline(panelOf('metric=retries', 'main'))).toEqual(['main', 'Retries', '', 260, ['retries'], null])
})

test('groups apply to all panels except the phases', () => {
  const byLocation = panels('groupBy=runLocation')
  expect(byLocation.map(outline)).toEqual([
    ['main', 'The total', 'p95', 260, ['total_p95'], 'runLocation'],
    ['loss', 'The loss', 'avg', 110, ['loss_avg'], 'runLocation'],
    ['availability', 'Availability', 'of each group, by runs', 130, ['availability'], 'runLocation'],
    ['phases', 'Phases', 'mean of each, stacked', 200, ['connect_avg', 'other_avg'], null],
  ])
  expect(byLocation.map(({ before, counts }) => [before, counts])).toEqual([
    [undefined, undefined],
    [undefined, undefined],
    [undefined, true],
    [undefined, undefined],
  ])
})

test('if runs are grouped or filtered by outcome, they are counted instead of their availability', () => {
  const byCode = panelOf('groupBy=statusCode', 'availability')
  expect([byCode.title, byCode.note, byCode.counts]).toEqual(['Runs', 'by status code, stacked', undefined])
  const counts = drawn(byCode, { group: 200, total: 7, availability: 100 })
  expect([counts.unit, counts.lines.map(({ label, values }) => [label, values])]).toEqual(['count', [['200', [7]]]])
  const failed = panelOf('filterByStatus=failed&availabilityBy=time', 'availability')
  expect([failed.title, failed.note, failed.counts, failed.query.by]).toEqual(['Runs', 'runs that passed and failed', undefined, 'runs'])
})

test('availability is by runs or by time', () => {
  const figures = { success: 3, total: 4, availability: 75, downSeconds: 6, upSeconds: 54 }
  const labels = (query: string) => drawn(panelOf(query, 'availability'), figures).lines.map(({ label, values }) => [label, values])
  expect(labels('')).toEqual([
    ['failed', [1]],
    ['passed', [3]],
  ])
  expect(labels('availabilityBy=time')).toEqual([
    ['down', [6000]],
    ['up', [54_000]],
  ])
  const byTime = panelOf('availabilityBy=time', 'availability')
  expect([byTime.note, byTime.counts, byTime.query.by]).toEqual(['time up and down', true, 'time'])
  const ofLocations = panelOf('availabilityBy=time&groupBy=runLocation', 'availability')
  expect([ofLocations.note, drawn(ofLocations, { ...figures, group: 'eu' }).lines.map(({ label, values }) => [label, values])]).toEqual([
    'of each group, by time',
    [['eu', [75]]],
  ])
  expect(panelOf('availabilityBy=time', 'main').query.by).toBe('runs')
})

test('the compared figure is the one that is drawn, and for percentiles the 95th', () => {
  expect(panelOf('', 'main').before).toEqual({ metric: 'total_p95', label: 'p95' })
  expect(panelOf('aggregation=max', 'main').before).toEqual({ metric: 'total_max', label: 'max' })
  expect(panelOf('metric=retries', 'main').before).toEqual({ metric: 'retries', label: 'Retries' })
})

test('durations are lines, counts and percentages bars, percentiles nested bands, and phases stacked', () => {
  const shapes = (query: string, id: string, figures: Readonly<Record<string, unknown>>) => {
    const { lines, unit, stacked } = drawn(panelOf(query, id), figures)
    return [unit, stacked, lines.map(({ label, shape, band, values }) => [label, shape, band, values])]
  }
  expect(shapes('', 'main', { total_p99: 9, total_p95: 5, total_p90: 4, total_p50: 1 })).toEqual([
    'milliseconds',
    undefined,
    [
      ['p99', 'line', true, [9]],
      ['p95', 'line', true, [5]],
      ['p90', 'line', true, [4]],
      ['p50', 'line', false, [1]],
    ],
  ])
  expect(shapes('aggregation=max', 'main', { total_max: 9 })).toEqual(['milliseconds', undefined, [['max', 'line', undefined, [9]]]])
  expect(shapes('metric=errors&aggregation=sum', 'main', { errors_sum: 2 })).toEqual([
    'count',
    undefined,
    [['sum', 'bars', undefined, [2]]],
  ])
  expect(shapes('', 'loss', { loss_avg: 2 })).toEqual(['percentage', undefined, [['avg', 'bars', undefined, [2]]]])
  expect(shapes('metric=retries', 'main', { retries: 2 })).toEqual(['count', undefined, [['Retries', 'bars', undefined, [2]]]])
  expect(shapes('', 'phases', { connect_avg: 1, other_avg: 2 })).toEqual([
    'milliseconds',
    true,
    [
      ['The connect', 'bars', undefined, [1]],
      ['other', 'bars', undefined, [2]],
    ],
  ])
})

test('percentiles of groups are one line each', () => {
  const main = panelOf('groupBy=runLocation&aggregation=p99', 'main')
  expect(
    drawn(main, { group: 'eu', total_p99: 3 }, { group: 'us', total_p99: 2 }).lines.map(({ label, values }) => [label, values]),
  ).toEqual([
    ['eu', [3]],
    ['us', [2]],
  ])
})

test('each web vital that is not selected has a small chart with its zones, by page if it is per page', () => {
  const vitals = panels('', withVitals).filter(({ small }) => small)
  expect(vitals.map(outline)).toEqual([
    ['vital-LCP', 'The LCP', 'LCP, p90 of each page', 150, ['LCP_p90'], 'page'],
    ['vital-TBT', 'The TBT', 'TBT, p90', 150, ['TBT_p90'], null],
  ])
  const drawing = drawn(vitals[1] as Panel, { TBT_p90: 250 })
  expect(drawing.lines.map(({ label, shape, values }) => [label, shape, values])).toEqual([['TBT', 'line', [250]]])
  expect(drawing.zones).toEqual([
    { label: 'good', upTo: 200, colour: 'zone-good' },
    { label: 'needs improvement', upTo: 600, colour: 'zone-middling' },
    { label: 'poor', upTo: Number.POSITIVE_INFINITY, colour: 'zone-poor' },
  ])
  const chosen = panels('metric=LCP', withVitals)
  expect(chosen.filter(({ small }) => small).map(({ id }) => id)).toEqual(['vital-TBT'])
  expect(drawn(chosen[0] as Panel, { LCP_p99: 1 }).zones).toHaveLength(3)
  expect(drawn(panelOf('', 'main'), { total_p99: 1 }).zones).toBeUndefined()
})

test('until its data arrive, a panel has its window, and a line for each location if it is grouped by them', () => {
  const expected = (query: string) => {
    const context = contextOf(query)
    return expectedDrawing(panelsOf(context)[0] as Panel, context, now)
  }
  const hours = { from: now - 24 * 3_600_000, to: now }
  expect(expected('aggregation=max')).toMatchObject({ ...hours, times: [hours.from], lines: [{ label: 'max', values: [null] }] })
  expect(expected('groupBy=runLocation').lines.map(({ label }) => label)).toEqual(['eu', 'us'])
  expect(expected('groupBy=statusCode').lines.map(({ label }) => label)).toEqual(['none'])
})
