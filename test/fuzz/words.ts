import fc from 'fast-check'
import { checkTypes } from '../../src/checks/registry.ts'
import { aggregations } from '../../src/store/store.ts'
import { agentLocation, now, ours, theirs } from './world.ts'

/** Texts that break parsers, encoders, logs and tables that use them as anything but text. */
const hostileTexts = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\r\nSet-Cookie: a=b',
  '\n',
  '\t',
  '\ufeff',
  '\u202egnp.exe',
  '\ud800',
  'e\u0301\u0302\u0303',
  '👩‍👩‍👧‍👦',
  'İıſK',
  '＝1+1',
  '=cmd|calc',
  '__proto__',
  'constructor',
  'hasOwnProperty',
  'toString',
  'null',
  'undefined',
  'NaN',
  'true',
  '-1',
  '-0',
  '0x10',
  '1e2',
  '5.0',
  '+5',
  '９',
  '99999999999999999999',
  '0.1e-400',
  '../../etc/passwd',
  '..%2f..%2f',
  '/',
  '\\',
  '%',
  '%zz',
  '%00',
  '%ff%fe',
  '%c0%af',
  '&',
  '[]',
  '[$ne]=1',
  '{}',
  '"',
  "' OR 1=1 --",
  ']]>',
  '<script>alert(1)</script>',
  '(a+)+$',
  '[:::::::',
  'stream',
  'export',
  'fail',
  'link=tdl_',
  'x'.repeat(129),
  'x'.repeat(201),
  'é'.repeat(700),
  ':'.repeat(3000),
] as const

export const hostileText: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...hostileTexts) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 30 }) },
  { weight: 1, arbitrary: fc.string({ maxLength: 12 }) },
)

const isoOf = (ms: number) => new Date(ms).toISOString()
const nearNow = fc.integer({ min: now - 90 * 86_400_000, max: now + 86_400_000 })
const instants = fc.oneof(
  nearNow.map(isoOf),
  nearNow.map((ms) => isoOf(ms).slice(0, 10)),
  nearNow.map(String),
  nearNow.map((ms) => String(ms / 1000)),
  fc.constantFrom(
    ...['0', '1', '99999999999', '100000000000', '253402300799', '253402300800', '8640000000000000', '8640000000000001'],
    ...['1970-01-01', '1969-12-31', '9999-12-31', '10000-01-01', '2026-02-30', '2024-02-29', '2026-10-25', '2026-11-14T24:00:00Z'],
    ...['2026-11-14T12:00:00', '2026-11-14T12:00:00+14:00', '2026-11-14T12:00:00.1234567Z', '2026-W46', 'yesterday'],
  ),
)
const zones = fc.constantFrom(
  ...['UTC', 'Europe/Berlin', 'Africa/Cairo', 'America/St_Johns', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'Pacific/Apia'],
  ...['America/Asuncion', 'Etc/GMT+12', 'europe/berlin', 'GMT', '+02:00', 'Mars/Base', 'Europe/Berlim'],
)
const ids = [...ours.checks.map(({ id }) => id), theirs.checks[0]?.id ?? '', 'none', 'x'.repeat(128), 'constructor']
const resultIds = [...ours.results.slice(0, 3), ...theirs.results.slice(0, 1)].map(({ result }) => result.id)
const suffixes = ['', ...aggregations.map((aggregation) => `_${aggregation}`), '_p75', '_']
const bases = [...new Set(checkTypes.flatMap(({ metrics }) => Object.keys(metrics))), 'duration', 'availability', 'retries', 'total']
const metrics = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('availability', 'retries', 'duration_p95', 'duration_avg', 'responseTime_p50') },
  { weight: 2, arbitrary: fc.tuple(fc.constantFrom(...bases), fc.constantFrom(...suffixes)).map((parts) => parts.join('')) },
)

/** Values for well-encoded tokens with content that the server would never write. */
const position = fc.oneof(
  nearNow,
  fc.constantFrom(0, -1, 1.5, 1e15, 8.64e15, 9e15, Number.MAX_SAFE_INTEGER, 1e300),
  fc.constantFrom('', 'eu-west-1', ...ids, ...resultIds),
  fc.constantFrom(null, true, [], {}, [[[]]]),
)
const cursors = fc.oneof(
  { weight: 4, arbitrary: fc.array(position, { maxLength: 5 }).map((parts) => Buffer.from(JSON.stringify(parts)).toString('base64url')) },
  { weight: 1, arbitrary: fc.constantFrom('e30', 'bnVsbA', 'W10', '!!!!', 'x'.repeat(1025), '0-0', 'abcdef012345-7') },
)

const locations = fc.constantFrom('eu-west-1', 'us-east-1', agentLocation, 'nowhere', '🌊', 'x'.repeat(200))

/** Values for a parameter or property of this name, if its schema allows any text. */
export const wordsByName: Readonly<Record<string, fc.Arbitrary<string>>> = {
  ...Object.fromEntries(['from', 'to', 'dataFrom', 'dataTo', 'startedAt'].map((name) => [name, instants])),
  ...Object.fromEntries(['cursor', 'nextId', 'lastEventId'].map((name) => [name, cursors])),
  ...Object.fromEntries(['id', 'ids', 'checkId', 'checkIds', 'slug'].map((name) => [name, fc.constantFrom(...ids)])),
  ...Object.fromEntries(['tag', 'tags'].map((name) => [name, fc.constantFrom(ours.tag, theirs.tag, 'none')])),
  ...Object.fromEntries(['location', 'runLocation'].map((name) => [name, locations])),
  ...Object.fromEntries(['metrics', 'metric'].map((name) => [name, metrics])),
  timezone: zones,
  resultId: fc.constantFrom(...resultIds.map(String), 'none'),
  slo: fc.constantFrom(ours.slo, theirs.slo, 'none'),
  serviceHours: fc.constantFrom(ours.serviceHours, theirs.serviceHours),
  account: fc.constantFrom(ours.account, theirs.account, 'nobody'),
  token: fc.constantFrom(ours.pingToken, ours.pingKey, 'a-token-of-nobody-0123456789abcdef'),
  bundle: fc.constantFrom('0'.repeat(64), 'f'.repeat(64), 'none'),
  protocol: fc.constantFrom('0', '1', '2', '9007199254740991'),
  label: fc.constantFrom('Shop', 'x'.repeat(5000), 'a & b <c>', 'שלום'),
  fields: fc.constantFrom('id', 'startedAt', 'responseTime', 'none'),
  search: fc.constantFrom('mine', 'The', 'X', 'İ'),
  instance: fc.constantFrom('agent-1', 'agent-2', 'agent-3'),
  session: fc.constantFrom('session-1', 'session-2'),
}
