import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { checkTypes } from '../src/checks/registry.ts'
import { hourMs, minuteMs } from '../src/time.ts'
import { openTestApp, type TestApp } from './support/app.ts'
import { testCatalogue, testCheck, testSlo } from './support/catalogue.ts'
import { anyRunType } from './support/example-config.ts'
import { type InfinityColumn, type InfinityQuery, type Replayed, replay } from './support/grafana.ts'
import { testResult } from './support/results.ts'

type Variable = { readonly name: string; readonly type: string; readonly query: { readonly infinityQuery: InfinityQuery } }
type Panel = { readonly title: string; readonly description?: string; readonly targets: readonly InfinityQuery[] }
type Dashboard = { readonly templating: { readonly list: readonly Variable[] }; readonly panels: readonly Panel[] }
type Query = { readonly where: string; readonly query: InfinityQuery; readonly dashboard: 'fleet' | 'check' }

const read = (name: string) => readFileSync(new URL(`../integrations/grafana/${name}`, import.meta.url), 'utf8')
const dashboards = (['fleet', 'check'] as const).map((name) => ({ name, ...(JSON.parse(read(`${name}.json`)) as Dashboard) }))
const rules: readonly AlertRule[] = parse(read('alert-rules.yaml')).groups.flatMap(({ rules }: { rules: readonly AlertRule[] }) => rules)
type AlertRule = {
  readonly title: string
  readonly condition: string
  readonly data: readonly [RuleStep, ...RuleStep[]]
}
type RuleStep = {
  readonly refId: string
  readonly datasourceUid: string
  readonly model: InfinityQuery & { readonly expression?: string; readonly conditions?: readonly { readonly evaluator: Evaluator }[] }
}
type Evaluator = { readonly type: 'gt' | 'lt'; readonly params: readonly number[] }

const now = Date.UTC(2026, 10, 14, 12)
const window = { from: now - 24 * hourMs, to: now }
const checks = checkTypes.map((checkType, i) => testCheck(checkType, { tags: i % 2 === 0 ? ['shop', 'web'] : [] }))
/** A check whose type has a response time, so that every column of a result is filled. */
const timed = checks.find(({ checkType }) => 'responseTime' in checkType.metrics) ?? testCheck(anyRunType())
const results = checks.flatMap((check) =>
  Array.from({ length: 120 }, (_, i) =>
    testResult(check, now - (i + 1) * minuteMs, {
      runLocation: i % 2 === 0 ? 'eu-west-1' : 'us-east-1',
      hasFailures: i > 3 && i < 12,
      error: i > 3 && i < 12 ? 'refused' : null,
    }),
  ),
)
const common = { account: 'tidemark', tag: ',', location: ['eu-west-1', 'us-east-1'], zone: 'Europe/Berlin', interval: '60' }
const variablesOf = {
  fleet: { ...common, check: checks.map(({ id }) => id) },
  check: { ...common, check: timed.id },
}

const queries: readonly Query[] = dashboards.flatMap(({ name, panels, templating }) => [
  ...panels.flatMap(({ title, targets }) => targets.map((query) => ({ where: `${name}: ${title}`, query, dashboard: name }))),
  ...templating.list
    .filter(({ type }) => type === 'query')
    .map(({ name: variable, query }) => ({ where: `${name}: variable ${variable}`, query: query.infinityQuery, dashboard: name })),
])
const alertQueries = rules.flatMap(({ title, data }) =>
  data.flatMap(({ datasourceUid, model }) =>
    datasourceUid === 'tidemark' ? [{ where: `alert: ${title}`, query: model, dashboard: 'fleet' as const }] : [],
  ),
)
const all = [...queries, ...alertQueries]

const policies = { slos: [testSlo('shop')] }
let api: TestApp
let empty: TestApp
beforeAll(async () => {
  api = await openTestApp({ catalogue: testCatalogue({ checks, policies }), results, now })
  empty = await openTestApp({ catalogue: testCatalogue({ checks, policies }), now })
})
afterAll(() => Promise.all([api.close(), empty.close()]))

const ask = (server: TestApp, { query, dashboard }: Query) => replay(server, query, { variables: variablesOf[dashboard], window })

describe('every query of the dashboards and alert rules', () => {
  test.each(all)('$where returns the columns that it reads', async (asked) => {
    const { status, text, rows } = await ask(api, asked)
    expect([status, text]).toEqual([200, expect.anything()])
    expect(rows).not.toEqual([])
    for (const column of asked.query.columns) expectColumn(rows, column)
  })

  test.each(all)('$where works without results', async (asked) => {
    const { status, text, rows } = await ask(empty, asked)
    expect([status, text]).toEqual([200, expect.anything()])
    expect(rows).not.toContain(null)
  })

  test.each(all)('$where can be run by the backend of Grafana', ({ query }) => {
    expect(query.parser).toBe('backend')
    expect(query.root_selector).not.toMatch(/^[{[]/)
  })
})

const types: Readonly<Record<string, (value: unknown) => boolean>> = {
  number: (value) => typeof value === 'number',
  string: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  timestamp: (value) => typeof value === 'string' && !Number.isNaN(Date.parse(value)),
}

function expectColumn(rows: Replayed['rows'], { selector, type }: InfinityColumn): void {
  const values = rows.map((row) => row[selector])
  expect(values, selector).not.toContain(undefined)
  const present = values.filter((value) => value !== null)
  expect(present, selector).not.toEqual([])
  for (const value of present) expect([selector, value, types[type]?.(value)]).toEqual([selector, value, true])
}

describe.each(dashboards)('the dashboard $name', ({ name, templating, panels }) => {
  const names = templating.list.map((variable) => variable.name)

  test('has variables for account, tag, check, location and zone, and uses each', () => {
    expect(names).toEqual(['account', 'tag', 'check', 'location', 'zone', 'interval'])
    const text = JSON.stringify([panels, templating])
    for (const variable of names) expect(text, variable).toContain(`\${${variable}`)
  })

  test('has rows in order of time for time series', async () => {
    const series = queries.filter(({ query, dashboard }) => dashboard === name && query.format === 'timeseries')
    expect(series).not.toEqual([])
    for (const asked of series) {
      const periods = (await ask(api, asked)).rows.map(({ period }) => period)
      expect(periods).toEqual([...periods].sort())
    }
  })
})

describe('a selected location or check excludes the rows of others', () => {
  const rowsWith = async (where: string, chosen: Partial<typeof common & { check: readonly string[] | string }>) => {
    const asked = queries.find((query) => query.where === where)
    if (!asked) throw new Error(where)
    return (await replay(api, asked.query, { variables: { ...variablesOf[asked.dashboard], ...chosen }, window })).rows
  }
  test.each(['fleet: Outages', 'check: Outages', 'check: Latest results', 'check: Locations', 'fleet: Locations'])('%s', async (where) => {
    expect(await rowsWith(where, { location: ['eu-west-1'] })).not.toEqual([])
    expect(await rowsWith(where, { location: ['nowhere'] })).toEqual([])
  })
  test('check: Latest results', async () => {
    const rows = await rowsWith('check: Latest results', { location: ['us-east-1'] })
    expect(new Set(rows.map(({ runLocation }) => runLocation))).toEqual(new Set(['us-east-1']))
  })
  test('fleet: SLOs', async () => {
    expect(await rowsWith('fleet: SLOs', {})).toHaveLength(1)
    expect(await rowsWith('fleet: SLOs', { check: ['another'] })).toEqual([])
  })
})

test('each panel filters by the selected locations, or says that it does not', () => {
  for (const { panels } of dashboards)
    for (const { title, description = '', targets } of panels) {
      const obeys = targets.every((target) => JSON.stringify(target).includes('${location'))
      expect([title, obeys || /any location|all locations/.test(description)]).toEqual([title, true])
    }
})

test('the variable tag lists all checks, and each tag once', async () => {
  const tag = queries.find(({ where }) => where === 'fleet: variable tag')
  expect(tag && (await ask(api, tag)).rows.map(({ name }) => name)).toEqual(['All', 'shop', 'web'])
  const check = queries.find(({ where }) => where === 'fleet: variable check')
  const offered = async (chosen: string) =>
    check && (await replay(api, check.query, { variables: { ...variablesOf.fleet, tag: chosen }, window })).rows.length
  expect([await offered(','), await offered('shop')]).toEqual([checks.length, Math.ceil(checks.length / 2)])
})

describe('an alert rule', () => {
  test.each(rules.filter(({ title }) => title !== 'Error budget burns fast'))(
    '$title excludes a check that is muted or in maintenance',
    async ({ condition, data }) => {
      const down = ['loud', 'muted', 'maintained'].map((id) => testCheck(anyRunType(), { id, name: id, muted: id === 'muted' }))
      const maintenance = [{ name: 'Move', from: now - 3 * hourMs, to: now + hourMs, checks: ['maintained'], tags: [] }]
      const failing = down.flatMap((check) => [1, 2, 3].map((i) => testResult(check, now - i * minuteMs, { hasFailures: true })))
      const server = await openTestApp({ catalogue: testCatalogue({ checks: down, policies: { maintenance } }), results: failing, now })
      onTestFinished(server.close)
      const [{ model }, threshold] = [data[0], data.find(({ refId }) => refId === condition)?.model.conditions?.[0]?.evaluator] as const
      const { rows } = await replay(server, model, { variables: {}, window: { from: now - hourMs, to: now } })
      const value = model.columns.find(({ type }) => type === 'number')?.selector ?? ''
      const [limit = Number.NaN] = threshold?.params ?? []
      const fires = (row: (typeof rows)[number]) => (threshold?.type === 'gt' ? Number(row[value]) > limit : Number(row[value]) < limit)
      expect(rows.filter(fires).map(({ check }) => check)).toEqual(['loud'])
    },
  )

  test.each(rules)('$title compares one number of each row with a threshold', ({ condition, data }) => {
    const query = data.find(({ datasourceUid }) => datasourceUid === 'tidemark')
    expect(query?.model.columns.filter(({ type }) => type === 'number')).toHaveLength(1)
    const threshold = data.find(({ refId }) => refId === condition)
    expect(threshold).toMatchObject({ datasourceUid: '__expr__', model: { type: 'threshold', expression: query?.refId } })
  })
})
