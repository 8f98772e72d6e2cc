import { Check, Errors } from 'typebox/value'
import { describe, expect, test } from 'vitest'
import { api } from './api/index.ts'
import { browser } from './browser/index.ts'
import type { CheckType } from './define.ts'
import { dns } from './dns/index.ts'
import { heartbeat } from './heartbeat/index.ts'
import { icmp } from './icmp/index.ts'
import { multistep } from './multistep/index.ts'
import { playwright } from './playwright/index.ts'
import { Assertions, inlineCode } from './probe/settings.ts'
import { tcp } from './tcp/index.ts'
import { url } from './url/index.ts'

function faultsOf({ settings }: Pick<CheckType, 'settings'>, value: unknown): readonly string[] {
  return Check(settings, value) ? [] : [...Errors(settings, value)].map(({ message }) => message)
}

const token = 'a-token-of-32-characters-0123456'

test.each([
  [{ period: '1h' }, null],
  [{ period: '1h', grace: '5m' }, null],
  [{ schedule: '0 3 * * *' }, null],
  [{ schedule: '0 3 * * *', timezone: 'Europe/Berlin' }, null],
  [{}, 'either period or schedule is required'],
  [{ period: '1h', schedule: '0 3 * * *' }, 'either period or schedule is required'],
  [{ period: '1h', timezone: 'UTC' }, 'timezone requires a schedule'],
  [{ schedule: '0 3 * * *', timezone: 'Mars/Base' }, 'unknown time zone Mars/Base'],
  [{ schedule: '0 3' }, expect.stringMatching(/^schedule ./)],
])('the heartbeat %j', (settings, fault) => {
  expect(faultsOf(heartbeat, { heartbeat: { token, ...settings } })).toEqual(fault === null ? [] : [fault])
})

test('a heartbeat has a period or schedule, and a grace', () => {
  const settings = (more: object) => heartbeat.pingSettings?.({ heartbeat: { token, ...more } })
  const tokenHash = expect.stringMatching(/^sha256:[0-9a-f]{64}$/)
  expect(settings({ period: '1h' })).toEqual({ periodMs: 3_600_000, graceMs: 0, tokenHash })
  expect(settings({ period: '1h', grace: '5m' })).toEqual({ periodMs: 3_600_000, graceMs: 300_000, tokenHash })
  expect(settings({ schedule: '0 * * * *' })).toMatchObject({ cron: { schedule: '0 * * * *', timezone: 'UTC' }, graceMs: 0 })
  expect(settings({ schedule: '0 * * * *', timezone: 'Asia/Tokyo' })).toMatchObject({ cron: { timezone: 'Asia/Tokyo' } })
})

test.each([
  [{}, null],
  [{ degradedPacketLoss: 50 }, null],
  [{ maxPacketLoss: 0 }, null],
  [{ degradedPacketLoss: 20, maxPacketLoss: 20 }, null],
  [{ degradedPacketLoss: 21, maxPacketLoss: 20 }, 'degradedPacketLoss must be at most maxPacketLoss'],
])('limits of packet loss %j', (settings, fault) => {
  expect(faultsOf(icmp, { request: { hostname: 'a' }, ...settings })).toEqual(fault === null ? [] : [fault])
})

describe('scripts', () => {
  const inline = { inlineScript: 'x()' }
  const files = { inlineFiles: { 'lib/a.ts': '' } }
  const bad = 'must be a path within a folder, with slashes'

  test.each([
    [{ script: 'a.ts' }, null],
    [inline, null],
    [{ ...inline, inlineScriptPath: 'a.spec.ts', ...files }, null],
    [{ ...inline, script: 'a.ts' }, 'script and inlineScript are mutually exclusive'],
    [{ ...inline, inlineScriptPath: 'a.ts' }, 'inlineScriptPath requires inlineFiles'],
    [{ script: 'a.ts', ...files }, 'inlineFiles requires inlineScript'],
    [{ ...inline, ...files }, 'inlineScriptPath is missing: the path of the script among inlineFiles'],
    [{ ...inline, inlineScriptPath: 'lib/a.ts', ...files }, 'inlineScriptPath must not be a path of inlineFiles'],
    [{ ...inline, inlineScriptPath: 'lib', ...files }, 'lib is a file and a folder'],
    [{ ...inline, inlineScriptPath: '../a', ...files }, `"../a" ${bad}`],
    [{ ...inline, inlineScriptPath: 'a', inlineFiles: {} }, 'must be 1 to 200 files'],
    [{ ...inline, inlineScriptPath: 'a', inlineFiles: { '/b': '' } }, `"/b" ${bad}`],
  ])('faults of the script %j', (settings, fault) => {
    for (const type of [browser, multistep]) {
      const faults = faultsOf(type, settings)
      if (fault === null) expect(faults).toEqual([])
      else expect(faults).toContain(fault)
    }
  })

  test('a browser check requires a URL or a script, and a multistep check a script', () => {
    expect(faultsOf(browser, {})).toEqual(['url or script is missing: the page to open, or the test file to run'])
    expect(faultsOf(browser, { url: 'http://a.test' })).toEqual([])
    expect(faultsOf(multistep, {})).toHaveLength(1)
  })

  test('settings with code are known', () => {
    expect(inlineCode({})).toEqual([])
    expect(inlineCode({ ...inline, ...files })).toEqual(['inlineScript', 'inlineFiles'])
  })

  test('files that a check needs are known', () => {
    expect(browser.files?.({ url: 'http://a.test' })).toEqual([])
    expect(browser.files?.({ script: 'a.ts' })).toEqual([{ setting: 'script', path: 'a.ts', kind: 'file' }])
  })
})

describe('an assertion', () => {
  const sources = ['statusCode', 'headers', 'latency', 'jsonBody'] as const
  const status = { source: 'statusCode', comparison: 'equals' }

  test.each([
    [{ ...status, target: 200 }, null],
    [status, 'equals requires a target'],
    [{ ...status, comparison: 'isEmpty' }, null],
    [{ ...status, comparison: 'notNull' }, null],
    [{ ...status, target: [200] }, 'equals requires a single target: only oneOf and notOneOf accept a list'],
    [{ ...status, comparison: 'oneOf', target: [200] }, null],
    [{ ...status, comparison: 'notOneOf', target: 200 }, 'notOneOf requires a list as target'],
    [{ ...status, comparison: 'lessThan', target: '7.5' }, null],
    [{ ...status, comparison: 'lessThan', target: 'x' }, 'lessThan requires a number as target'],
    [{ ...status, comparison: 'greaterThan', target: ' ' }, 'greaterThan requires a number as target'],
    [{ source: 'headers', comparison: 'equals', target: 'x' }, 'headers requires a property: the name of a header'],
    [{ source: 'headers', comparison: 'equals', property: 'A', target: 'x' }, null],
    [{ source: 'headers', comparison: 'hasKey', target: 'x' }, null],
    [{ source: 'headers', comparison: 'notHasValue', target: 'x' }, null],
    [{ source: 'latency', comparison: 'lessThan', target: 1 }, 'latency requires a property: avg, min, max, stdDev'],
    [{ source: 'latency', comparison: 'lessThan', target: 1, property: 'median' }, 'latency requires a property: avg, min, max, stdDev'],
    [{ source: 'latency', comparison: 'lessThan', target: 1, property: 'stdDev' }, null],
    [{ source: 'jsonBody', comparison: 'isNull', property: '$.a' }, null],
    [{ source: 'jsonBody', comparison: 'isNull', property: '$[' }, expect.any(String)],
    [{ source: 'jsonBody', comparison: 'matches', target: '(' }, expect.any(String)],
    [{ source: 'jsonBody', comparison: 'isNull', property: `$.${'a'.repeat(999)}` }, 'a JSONPath has at most 1000 characters'],
    [{ source: 'jsonBody', comparison: 'notMatches', target: 'a'.repeat(1001) }, 'a regular expression has at most 1000 characters'],
  ])('%j', (assertion, fault) => {
    expect(faultsOf({ settings: Assertions(...sources) as unknown as CheckType['settings'] }, [assertion])).toEqual(
      fault === null ? [] : [fault],
    )
  })
})

const at = ({ fromAddress }: CheckType, address: string) => fromAddress?.(new URL(address))

test('a URL becomes the settings of a check', () => {
  expect(at(url, 'https://a.test/x?y')).toEqual({ request: { url: 'https://a.test/x?y' } })
  expect(at(url, 'http://a.test')).toEqual({ request: { url: 'http://a.test/' } })
  expect(at(url, 'ftp://a.test')).toBeUndefined()
  expect(at(tcp, 'tcp://a.test:25')).toEqual({ request: { hostname: 'a.test', port: 25 } })
  expect(at(tcp, 'tcp://[::1]:25')).toEqual({ request: { hostname: '::1', port: 25 } })
  for (const address of ['tcp://a.test', 'tcp:///x', 'http://a.test:25']) expect(at(tcp, address)).toBeUndefined()
  expect(at(dns, 'dns://a.test')).toEqual({ request: { query: 'a.test' } })
  for (const address of ['dns:///x', 'tcp://a.test']) expect(at(dns, address)).toBeUndefined()
  for (const scheme of ['icmp', 'ping']) expect(at(icmp, `${scheme}://a.test`)).toEqual({ request: { hostname: 'a.test' } })
  for (const address of ['icmp:///x', 'pings://a.test']) expect(at(icmp, address)).toBeUndefined()
})

test('targets are redacted', () => {
  const secretUrl = 'http://u:p@a.test/?token=t&x=1'
  const shown = 'http://a.test/?token=•••&x=1'
  expect(url.target({ request: { url: secretUrl } })).toEqual({ url: shown, method: 'GET' })
  expect(api.target({ request: { url: secretUrl } })).toEqual({ url: shown, method: 'GET' })
  expect(api.target({ request: { url: secretUrl, method: 'PUT' } })).toEqual({ url: shown, method: 'PUT' })
  expect(browser.target({ url: secretUrl })).toEqual({ url: shown })
  expect(browser.target({ script: 'a.ts' })).toEqual({ script: 'a.ts' })
  expect(tcp.target({ request: { hostname: 'a', port: 1 } })).toEqual({ hostname: 'a', port: 1 })
  expect(dns.target({ request: { query: 'a' } })).toEqual({ query: 'a', recordType: 'A' })
  expect(dns.target({ request: { query: 'a', recordType: 'MX' } })).toEqual({ query: 'a', recordType: 'MX' })
  expect(icmp.target({ request: { hostname: 'a' } })).toEqual({ hostname: 'a' })
  expect(heartbeat.target({ heartbeat: { token, period: '1h' } })).toEqual({})
})

test.each([
  [{ directory: 'e2e' }, 0],
  [{ bundle: 'tidemark-bundle-1.x' }, 0],
  [{}, 1],
  [{ directory: 'e2e', bundle: 'tidemark-bundle-1.x' }, 1],
  [{ bundle: 'x' }, 1],
])('the suite %j has faults: %d', (settings, count) => {
  expect(faultsOf(playwright, settings)).toHaveLength(count)
})
