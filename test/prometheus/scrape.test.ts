// @slow ci
import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { configuredFolder, tidemark } from '../support/command.ts'
import { anyRunType } from '../support/example-config.ts'
import { needing, programMissing } from '../support/needs.ts'
import { type Prometheus, promtool, startPrometheus } from '../support/prometheus.ts'
import { type ServerProcess, serve } from '../support/server-process.ts'

const type = anyRunType()
const duration = type.duration ?? ''
const start = Date.now() - 3_600_000

const rows = (from: number, count: number) =>
  Array.from({ length: count }, (_, i) => ({
    id: `r-${from + i}`,
    checkId: type.path,
    startedAt: start + (from + i) * 100,
    runLocation: ['eu', 'us'][i % 2],
    hasFailures: i % 10 === 0,
    attempts: 1 + (i % 3),
    [duration]: (((from + i) * 7919) % 90_007) / 13,
  }))

const [early, batches, size] = [4000, 30, 50]
const posted = early + 4 * batches * size

let server: ServerProcess
let key: string
let beforeRestart: string

beforeAll(async () => {
  const folder = configuredFolder()
  key = (await tidemark(folder, 'key', 'create', '--account', 'acme', '--name', 'prometheus', '--scopes', 'metrics')).stdout.trim()
  server = await serve(folder)
  await server.post(rows(0, early))
  const posting = Promise.all(
    Array.from({ length: 4 }, async (_, writer) => {
      for (let i = 0; i < batches; i++) await server.post(rows(early + (i * 4 + writer) * size, size))
    }),
  )
  await Promise.all([posting, ...Array.from({ length: 5 }, scrape)])
  beforeRestart = await scrape()
  await server.kill()
  server = await serve(folder, { key: server.key })
}, 180_000)

async function scrape(): Promise<string> {
  const response = await fetch(`${server.url}/metrics`, { headers: { authorization: `Bearer ${key}` } })
  expect(response.status).toBe(200)
  return response.text()
}

test('results posted while the first scrape reads the store count once', () => {
  const total = [...beforeRestart.matchAll(/^tidemark_check_results_total\{.*\} (\d+)$/gm)].map(([, count]) => Number(count))
  expect(total.reduce((sum, count) => sum + count, 0)).toBe(posted)
})

test('counters are the same after a restart', async () => {
  const counters = (text: string) => text.split('\n').filter((line) => line.startsWith('tidemark_check_'))
  expect(counters(beforeRestart).length).toBeGreaterThan(0)
  expect(counters(await scrape())).toEqual(counters(beforeRestart))
})

describe('a real Prometheus', { ...needing(await programMissing('promtool')), timeout: 120_000 }, () => {
  const latest = 20
  let prometheus: Prometheus
  beforeAll(async () => {
    prometheus = await startPrometheus(`
global: { scrape_interval: 1s, scrape_timeout: 1s }
scrape_configs:
  - job_name: tidemark
    basic_auth: { username: prometheus, password: ${key} }
    static_configs: [{ targets: ["${new URL(server.url).host}"] }]
`)
    const withCertificate = type.fields.includes('sslDaysRemaining') ? { sslDaysRemaining: 30 } : {}
    await server.post(rows(posted, latest).map((row) => ({ ...row, startedAt: Date.now(), ...withCertificate })))
  }, 120_000)

  const untilScraped = () =>
    expect
      .poll(async () => Number((await prometheus.query('sum(tidemark_check_results_total)'))[0]?.value[1]), { timeout: 60_000 })
      .toBe(posted + latest)

  test('accepts the names, units and help of the metrics', async () => {
    expect(await promtool(['check', 'metrics'], { input: await scrape() })).toBe('')
  })

  test('estimates a quantile in the same bucket as the exact one', async () => {
    await untilScraped()
    const window = `from=${new Date(start).toISOString()}&to=${new Date(Date.now() + 3_600_000).toISOString()}`
    for (const [quantile, suffix] of [
      [0.5, 'p50'],
      [0.9, 'p90'],
      [0.99, 'p99'],
    ] as const) {
      const exact = await fetch(`${server.url}/v1/analytics/${type.path}/${type.path}?metrics=${duration}_${suffix}&${window}`, {
        headers: server.headers,
      })
      const { series } = (await exact.json()) as { series: [{ data: [Record<string, number>] }] }
      const seconds = (series[0].data[0][`${duration}_${suffix}`] ?? Number.NaN) / 1000
      const [estimate] = await prometheus.query(`histogram_quantile(${quantile}, sum by (le) (tidemark_check_duration_seconds_bucket))`)
      const bounds = (await prometheus.query('sum by (le) (tidemark_check_duration_seconds_bucket)')).map(({ metric }) => Number(metric.le))
      expect(bucketOf(Number(estimate?.value[1]), bounds)).toEqual(bucketOf(seconds, bounds))
    }
  })

  test('parses every expression of the dashboard and of the rules, and they use only served metrics', async () => {
    await untilScraped()
    const served = new Set((await prometheus.query('group by (__name__) ({job="tidemark"})')).map(({ metric }) => metric.__name__))
    const rules = readFileSync(new URL('../../integrations/prometheus/tidemark.rules.yml', import.meta.url), 'utf8')
    const recorded = [...rules.matchAll(/record: (\S+)/g)].map(([, name]) => name)
    const expressions = dashboardExpressions()
    expect(expressions.length).toBeGreaterThan(20)
    for (const expression of expressions) await prometheus.query(expression)
    const names = [...expressions, rules].flatMap((text) => text.match(/\b(?:tidemark|process|nodejs)_[a-z0-9_]+/g) ?? [])
    const notServed = names.filter((name) => !served.has(name) && !recorded.some((record) => record?.includes(name)))
    expect(new Set(notServed)).toEqual(new Set())
  })
})

/** The expressions of the dashboard as Grafana sends them, with all jobs and checks selected. */
function dashboardExpressions(): readonly string[] {
  type Panel = { readonly targets?: readonly { readonly expr: string }[] }
  const text = readFileSync(new URL('../../integrations/grafana/prometheus.json', import.meta.url), 'utf8')
  const { panels } = JSON.parse(text) as { readonly panels: readonly Panel[] }
  return panels
    .flatMap(({ targets = [] }) => targets)
    .map(({ expr }) => expr.replaceAll(/\$__(rate_interval|range)/g, '1m').replaceAll(/\$(job|check)/g, '.*'))
}

/** The bounds between which a value lies; a value equal to a bound belongs to the bucket below it. */
function bucketOf(value: number, bounds: readonly number[]): readonly number[] {
  const ascending = bounds.toSorted((a, b) => a - b)
  const above = ascending.findIndex((bound) => value <= bound)
  return [ascending[above - 1] ?? 0, ascending[above] ?? Number.POSITIVE_INFINITY]
}
