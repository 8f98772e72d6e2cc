import { Session } from 'node:inspector/promises'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import type { CheckType } from '../src/checks/define.ts'
import { checkTypes } from '../src/checks/registry.ts'
import { openTestApp } from './support/app.ts'
import { testCatalogue, testCheck } from './support/catalogue.ts'
import { testResult } from './support/results.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const now = Date.parse('2026-11-14T10:20:30.456Z')

test.skipIf(process.env.TIDEMARK_TEST_APP_STORE === 'clickhouse')('a query of one check runs code in at most 45 files', async () => {
  const [checkType] = checkTypes as readonly [CheckType]
  const check = testCheck(checkType)
  const results = Array.from({ length: 300 }, (_, i) => testResult(check, now - i * 600_000, { runLocation: `location-${i % 2}` }))
  const api = await openTestApp({ catalogue: testCatalogue({ checks: [check] }), results, now })
  onTestFinished(api.close)
  await api.store.seal()
  const [metric] = Object.keys(checkType.metrics)
  const ask = () => api.get(`/v1/analytics/${checkType.path}/${check.id}?metrics=${metric}_p99&groupBy=runLocation`)
  expect(await ask()).toMatchObject({ status: 200, body: { series: [{}, {}] } })
  const files = await filesRunBy(ask)
  expect(files).toEqual(expect.arrayContaining(['src/analytics/plan.ts', 'src/store/kernels/summarize.ts']))
  expect(files.length, files.join('\n')).toBeLessThanOrEqual(45)
})

/** The files of src with functions that are called. */
async function filesRunBy(work: () => Promise<unknown>): Promise<readonly string[]> {
  const session = new Session()
  session.connect()
  onTestFinished(() => session.disconnect())
  await session.post('Debugger.enable')
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  await work()
  const { result } = await session.post('Profiler.takePreciseCoverage')
  await session.post('Profiler.stopPreciseCoverage')
  const files: string[] = []
  for (const { scriptId, url, functions } of result) {
    const file = relative(root, url.startsWith('file:') ? fileURLToPath(url) : url)
    if (!file.startsWith('src/')) continue
    const { scriptSource } = await session.post('Debugger.getScriptSource', { scriptId })
    const called = functions.flatMap(({ ranges }) => ranges.filter(({ count }) => count > 0))
    if (called.some(({ startOffset, endOffset }) => !isExport(scriptSource.slice(startOffset, endOffset)))) files.push(file)
  }
  return files.sort()
}

/** Vitest wraps each export of a module in a function that its importers call to read it. */
const isExport = (source: string) => /^\(\) => \{ try \{ return \w+ \}/.test(source)
