// @slow ci
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { configuredFolder, tidemark } from '../support/command.ts'
import { anyRunType } from '../support/example-config.ts'
import { needing, programMissing } from '../support/needs.ts'
import { promtool, startPrometheus } from '../support/prometheus.ts'
import { serve } from '../support/server-process.ts'

const options = { ...needing(await programMissing('promtool')), timeout: 120_000 }
const type = anyRunType()
const duration = type.duration ?? ''
const start = Date.UTC(2026, 9, 1)
const count = 3000

const row = (i: number) => ({
  checkId: type.path,
  startedAt: new Date(start + i * 60_000 + 123).toISOString(),
  runLocation: ['eu', 'us'][i % 2],
  hasFailures: i % 7 === 0,
  isDegraded: i % 5 === 0,
  ...(i % 7 !== 0 && { [duration]: 100 + i / 8 }),
})
/** Two runs with the same start, of which Prometheus keeps one sample. */
const twin = { ...row(2), id: 'twin', hasFailures: true }

const folder = configuredFolder()

beforeAll(async () => {
  const file = join(folder, 'results.ndjson')
  const rows = [...Array.from({ length: count }, (_, i) => row(i)), twin]
  writeFileSync(file, rows.map((one) => `${JSON.stringify(one)}\n`).join(''))
  expect((await tidemark(folder, 'import', file)).exitCode).toBe(0)
})

test('past results can be loaded into Prometheus, which has every one of them at its time', options, async () => {
  const window = ['--from', '2026-10-01', '--to', '2026-10-02']
  const { stdout } = await tidemark(folder, 'export', '--format', 'openmetrics', ...window)
  writeFileSync(join(folder, 'history.om'), stdout)
  const data = join(folder, 'prometheus')
  await promtool(['tsdb', 'create-blocks-from', 'openmetrics', join(folder, 'history.om'), data])
  const prometheus = await startPrometheus('scrape_configs: []\n', data)
  const end = start / 1000 + 2 * 86_400
  const within = Array.from({ length: 2 * 1440 }, (_, i) => i)
  const found = await prometheus.range('tidemark_check_up[3d]', end)
  const samples = found.flatMap(({ metric, values }) => values.map(([time, value]) => [time, metric.location, Number(value)] as const))
  const expected = within.map((i) => [start / 1000 + i * 60 + 0.123, row(i).runLocation, i % 7 === 0 ? 0 : 1] as const)
  const byTime = (a: readonly [number, ...unknown[]], b: readonly [number, ...unknown[]]) => a[0] - b[0]
  const isTwin = ([time]: readonly [number, ...unknown[]]) => time === start / 1000 + 120.123
  expect(samples.toSorted(byTime).filter((one) => !isTwin(one))).toEqual(expected.filter((one) => !isTwin(one)))
  expect(samples.filter(isTwin)).toHaveLength(1)
  const [mean] = await prometheus.query('avg(avg_over_time(tidemark_check_last_duration_seconds{location="us"}[3d]))', end)
  const durations = within.filter((i) => i % 2 === 1 && i % 7 !== 0).map((i) => 0.1 + i / 8000)
  expect(Number(mean?.value[1])).toBeCloseTo(durations.reduce((sum, one) => sum + one, 0) / durations.length, 9)
})

test('a running server exports the same bytes, for all checks and for one', options, async () => {
  const ofFolder = await tidemark(folder, 'export', '--format', 'openmetrics')
  const server = await serve(folder)
  const remote = ['--url', server.url, '--key', server.key, '--account', 'acme', '--format', 'openmetrics']
  expect((await tidemark(folder, 'export', ...remote)).stdout).toBe(ofFolder.stdout)
  const one = await tidemark(folder, 'export', '--check', type.path, ...remote)
  expect(one.stdout.match(/^tidemark_check_up/gm)).toHaveLength(count)
})

test('every family and every series is contiguous, and the export ends with an EOF marker', { timeout: 120_000 }, async () => {
  const { stdout } = await tidemark(folder, 'export', '--format', 'openmetrics')
  const lines = stdout.trimEnd().split('\n')
  const series = lines.filter((line) => !line.startsWith('#')).map((line) => line.slice(0, line.indexOf('}')))
  const pieces = series.filter((name, i) => name !== series[i - 1])
  expect(new Set(pieces).size).toBe(pieces.length)
  expect(lines.at(-1)).toBe('# EOF')
})
