import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseConfig } from '../../src/catalogue/config-file/parse.ts'
import { checkTypes } from '../../src/checks/registry.ts'
import { configText } from '../../src/web/start/config-text.ts'
import { openTestApp, type TestApp } from '../support/app.ts'

let api: TestApp
beforeAll(async () => {
  api = await openTestApp({})
})
afterAll(() => api.close())

test('the example of every check type is a valid check of a config file', async () => {
  const { body } = await api.get('/v1/check-types')
  expect(body).toHaveLength(checkTypes.length)
  for (const { checkType, example } of body) {
    const parsed = parseConfig(configText('acme', example), {})
    expect('faults' in parsed ? parsed.faults : parsed.config.checks.map((check) => check.checkType.type)).toEqual([checkType])
  }
})

test('the example of a check type names the files that it needs', async () => {
  const { body } = await api.get('/v1/check-types')
  for (const { files, example } of body) {
    for (const file of files) expect(file.split('/').some((part: string) => example.includes(part))).toBe(true)
  }
})

test('a check type lists what it measures, how it is queried and where it is created', async () => {
  const { body } = await api.get('/v1/check-types')
  for (const [index, { type, label, path, metrics, duration, phases, groupBy, states, pingSettings }] of checkTypes.entries()) {
    expect(body[index]).toMatchObject({
      checkType: type,
      label,
      endpoint: `/v1/analytics/${path}`,
      metrics: Object.entries(metrics).map(([name, metric]) => ({
        name,
        unit: metric.unit,
        label: metric.label,
        perPage: metric.perPage ?? false,
      })),
      duration,
      phases,
      groupBy: groupBy.map(({ name }) => ({ name })),
      filterByStatus: ['success', 'failure', ...Object.keys(states)],
      pinged: pingSettings !== undefined,
      createAt: expect.stringMatching(/^\/v1\/checks\/[a-z-]+$/),
    })
  }
})
