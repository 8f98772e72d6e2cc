import { expect, test } from 'vitest'
import { checkTypes } from './registry.ts'

const phases = 'responseTime, wait, dns, tcp, firstByte, download'
const vitals = 'TTFB, FCP, LCP, CLS, TBT'

test('every check type of the contract exists with its path, metrics and groups', () => {
  const table = checkTypes.map(({ type, path, metrics, groupBy }) => [
    type,
    path,
    Object.keys(metrics)
      .filter((name) => !metrics[name]?.unlisted)
      .join(', '),
    groupBy.map(({ name }) => name).join(', '),
  ])
  const contract = [
    ['API', 'api-checks', phases, 'runLocation, statusCode'],
    ['URL', 'url-monitors', phases, 'runLocation, statusCode'],
    [
      'BROWSER',
      'browser-checks',
      `responseTime, ${vitals}, consoleErrors, networkErrors, userScriptErrors, documentErrors`,
      'runLocation, pageIndex',
    ],
    ['MULTI_STEP', 'multistep-checks', 'responseTime', 'runLocation'],
    ['PLAYWRIGHT', 'playwright-checks', `responseTime, ${vitals}`, 'runLocation'],
    ['TCP', 'tcp-checks', 'total, dns, connection, data', 'runLocation'],
    ['DNS', 'dns', 'total', 'runLocation'],
    ['ICMP', 'icmp', 'packetLoss, latencyMin, latencyMax, latencyAvg, latencyStdDev', 'runLocation'],
    ['HEARTBEAT', 'heartbeat-checks', '', ''],
  ]
  expect(table).toEqual(expect.arrayContaining(contract))
})

test('labels match the contract', () => {
  const browser = checkTypes.find(({ type }) => type === 'BROWSER')
  expect(browser?.metrics.responseTime).toEqual({ unit: 'milliseconds', label: 'Response time for the full script' })
  expect(browser?.metrics.TTFB).toMatchObject({ unit: 'milliseconds', label: 'Time To First Byte' })
  expect(browser?.metrics.CLS).toMatchObject({ unit: 'score' })
  const icmp = checkTypes.find(({ type }) => type === 'ICMP')
  expect(icmp?.metrics.packetLoss).toMatchObject({ unit: 'percentage' })
})

test('states of heartbeats can be filtered by name', () => {
  const heartbeat = checkTypes.find(({ type }) => type === 'HEARTBEAT')
  expect(heartbeat?.states).toEqual({ FAILING: 'failure', EARLY: 'success', RECEIVED: 'success', GRACE: 'success', LATE: 'success' })
})

test('declarations of types match the golden file', async () => {
  const lines = checkTypes.flatMap(({ type, path, label, metrics, duration, phases, fields, groupBy, states, summary, heavy, wire }) => [
    `${type} ${JSON.stringify({ path, label, duration, phases, fields, groupBy, states, summary, heavy })}`,
    `  in the API ${JSON.stringify({ path: wire?.path, pointers: wire?.pointers, hasVariables: wire?.hasVariables })}`,
    ...Object.entries(metrics).map(([name, metric]) => `  ${name} ${JSON.stringify(metric)}`),
  ])
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('../../test/golden/check-types.txt')
})
