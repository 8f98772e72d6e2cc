import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { propertiesOf } from '../../src/ingest/properties.ts'
import type { Endpoint } from './operations.ts'
import { allowedValue, refusedValue } from './values.ts'
import { hostileText, wordsByName } from './words.ts'
import { agentLocation, now, ours } from './world.ts'

export type AnyBody = { readonly payload: string | Buffer; readonly headers: Readonly<Record<string, string>> }

/** Bodies for an endpoint: mostly valid by its schema, otherwise changed in one place, or arbitrary bytes. */
export function anyBody({ path, operation }: Endpoint): fc.Arbitrary<AnyBody> {
  const schema = operation.requestBody?.content['application/json']?.schema
  if (!schema) return fc.constantFrom('', 'x', '{}', 'a=b').map((payload) => ({ payload, headers: { 'content-type': 'application/json' } }))
  const allowed = path === '/v1/check-results' ? anyRows : allowedValue(schema, '')
  const changed = fc
    .tuple(allowed, fc.nat(), fc.oneof(refusedValue(schema), hostileText))
    .map(([value, at, other]) => replaced(value, at, other))
  const json = fc.oneof({ weight: 6, arbitrary: allowed }, { weight: 3, arbitrary: changed }).map((value) => JSON.stringify(value) ?? '')
  return fc.oneof(
    { weight: 10, arbitrary: json.map(asJson) },
    { weight: 3, arbitrary: json.chain(damaged) },
    { weight: 1, arbitrary: fc.constantFrom(...oddBodies) },
  )
}

const asJson = (payload: string | Buffer): AnyBody => ({ payload, headers: { 'content-type': 'application/json' } })

/** Replaces the value at a position, or adds a property with a hostile name. */
function replaced(value: unknown, at: number, other: unknown): unknown {
  let count = 0
  const visit = (each: unknown): unknown => {
    if (count++ === at % 12) return other
    if (Array.isArray(each)) return each.map(visit)
    if (typeof each !== 'object' || each === null) return each
    return Object.fromEntries(Object.entries(each).map(([name, inner]) => [name, visit(inner)]))
  }
  const changed = visit(value)
  return at % 5 === 0 && typeof changed === 'object' && changed !== null && !Array.isArray(changed)
    ? { ...changed, [String(other)]: at }
    : changed
}

/** Bodies that do not match their headers. */
function damaged(json: string): fc.Arbitrary<AnyBody> {
  const zipped = gzipSync(json)
  const gzip = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
  return fc.constantFrom<AnyBody>(
    asJson(json.slice(0, json.length >> 1)),
    asJson(`${json}${json}`),
    asJson(`\ufeff${json}`),
    asJson(`[${json}]`),
    asJson(Buffer.from(json, 'utf16le')),
    asJson(Buffer.concat([Buffer.from(json), Buffer.from([0xff, 0xfe, 0])])),
    asJson(json.replace('{', '{"__proto__":{"a":1},')),
    asJson(json.replace('"', '"\\ud800')),
    { payload: zipped, headers: gzip },
    { payload: zipped.subarray(0, zipped.length >> 1), headers: gzip },
    { payload: Buffer.concat([zipped, zipped]), headers: gzip },
    { payload: json, headers: gzip },
    { payload: zipped, headers: { ...gzip, 'content-encoding': 'br' } },
    { payload: json, headers: { 'content-type': 'application/x-ndjson' } },
    { payload: json, headers: { 'content-type': 'application/json; charset=utf-16' } },
    { payload: json, headers: { 'content-type': 'text/plain' } },
    { payload: json, headers: { 'content-type': 'multipart/form-data' } },
    { payload: json, headers: { 'content-type': 'application/json, text/plain' } },
    { payload: json, headers: {} },
  )
}

const bomb = gzipSync(Buffer.alloc(9 * 1024 * 1024, '['))

const oddBodies: readonly AnyBody[] = [
  ...['', 'null', '0', '"x"', '[]', '{}', '[[]]', '{"a":', '\u0000', '[,]', "{'a':1}", '{"a":NaN}', '-', '1e999', '"\\u12"'].map(asJson),
  asJson('['.repeat(100_000)),
  asJson('{"a":'.repeat(20_000)),
  asJson(`"${'x'.repeat(1_048_600)}"`),
  asJson(`{"metrics":["${'x'.repeat(200_000)}"]}`),
  asJson(`{"metrics":["availability"],"timezone":"${'x'.repeat(1000)}"}`),
  asJson(`{"checkIds":[${'"a",'.repeat(100)}"a"]}`),
  { payload: bomb, headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' } },
  { payload: '{"checkId":1}\n\n{}\n[]\nnull\n{"checkId":"x"', headers: { 'content-type': 'application/x-ndjson' } },
]

const startedAt = fc.oneof(
  { weight: 6, arbitrary: fc.nat(120).map((minutes) => new Date(now - minutes * 60_000).toISOString()) },
  { weight: 1, arbitrary: wordsByName.from ?? fc.constant('') },
  { weight: 1, arbitrary: fc.constantFrom<unknown>(0, -1, 1.5, now, now / 1000, now + 86_400_000, null, '', 8.64e15) },
)
const measure = fc.oneof(
  fc.integer({ min: 0, max: 5000 }),
  fc.constantFrom<unknown>(0, 0.1, 1e-7, 1e12, 1e300, -1, null, '5', true, [], {}, Number.MAX_SAFE_INTEGER, 2 ** 60),
)
/** There are few instants, locations and ids, so that most rows are duplicates and the store does not grow with the number of requests. */
const anyRow = fc
  .record({
    check: fc.constantFrom(...ours.checks),
    startedAt,
    runLocation: fc.constantFrom<unknown>('eu-west-1', agentLocation, '', 5, 'x'.repeat(201)),
  })
  .chain(({ check, ...row }) => {
    const names = [...propertiesOf(check.checkType).keys()].filter((name) => !(name in row))
    return fc
      .dictionary(fc.constantFrom(...names, 'evidence', 'nonsense', '__proto__'), fc.oneof(measure, fc.boolean(), hostileText), {
        maxKeys: 4,
        noNullPrototype: true,
      })
      .map((more) => ({ checkId: check.id, ...row, hasFailures: false, ...more }))
  })
const anyRows = fc.array(
  fc.oneof({ weight: 9, arbitrary: anyRow }, { weight: 1, arbitrary: fc.constantFrom<unknown>(null, 1, [], {}, 'x') }),
  { maxLength: 5 },
)
