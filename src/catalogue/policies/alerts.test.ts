import { describe, expect, test } from 'vitest'
import { testChannelType } from '../../../test/support/channel-type.ts'
import { anyRunType, exampleCheck } from '../../../test/support/example-config.ts'
import { zoneOf } from '../../../test/support/zone.ts'
import type { Env } from '../../config.ts'
import { minuteMs } from '../../time.ts'
import { parseConfig } from '../config-file/parse.ts'
import { channelNumber, shownSettings } from './channels.ts'
import type { AlertRule, Policies } from './policies.ts'

const options = { channelTypes: [testChannelType] }
const check = (id: string, more: object = {}) => ({ ...exampleCheck(anyRunType()), id, name: id, tags: ['shop'], frequency: '1m', ...more })
const checks = [check('cart', { locations: ['fra', 'nyc'], runParallel: true }), check('mail', { tags: ['office'], frequency: '10m' })]
const ops = '{ id: ops, type: pigeon, url: "https://loft.example/ops" }'
const boss = '{ id: boss, type: pigeon, url: "https://loft.example/boss" }'
const office = '{ name: office, days: [mon, tue], from: "08:00", to: "18:00", timezone: Europe/Berlin }'
const slos = [
  '{ id: carts, checks: [cart], objective: { kind: availability, target: 99.9 }, window: 30d }',
  '{ id: mails, checks: [mail], objective: { kind: availability, target: 99 }, window: 30d }',
]

/** A file whose alerts begin at line 7. */
function fileWith(alerts: string, own: readonly object[] = checks): string {
  const head = [
    'accounts:',
    '  - id: acme',
    `    checks: ${JSON.stringify(own)}`,
    `    serviceHours: [${office}]`,
    `    slos: [${slos.join(', ')}]`,
    `    channels: [${ops}, ${boss}]`,
  ]
  return [...head, ...alerts.split('\n').map((line) => `    ${line}`)].join('\n')
}

function parse(text: string, env: Env = {}): Policies {
  const parsed = parseConfig(text, env, options)
  if ('faults' in parsed) throw new Error(parsed.faults.map((fault) => fault.text).join('\n'))
  return parsed.config.policies.get('acme') as Policies
}

function faultsIn(text: string, env: Env = {}): readonly string[] {
  const parsed = parseConfig(text, env, options)
  return 'faults' in parsed ? parsed.faults.map((fault) => `${fault.line}: ${fault.text.replace('accounts[0].', '')}`) : []
}

const faultsOf = (alerts: string) => faultsIn(fileWith(alerts))
const rule = (entry: string) => `alerts:\n  - { id: r, ${entry} }`
const ruleOf = (entry: string) => parse(fileWith(rule(entry))).alerts[0] as AlertRule

describe('a rule without faults', () => {
  test('needs only an id and channels', () => {
    expect(ruleOf('to: [ops]')).toEqual({
      id: 'r',
      checks: [],
      tags: [],
      when: { kind: 'failing' },
      after: { runs: 1 },
      recoverAfter: { runs: 1 },
      quorum: 1,
      steps: [{ afterMs: 0, to: ['ops'], during: null, outside: 'hold' }],
      remind: null,
      group: { by: 'none', waitMs: 0 },
      severity: 'critical',
    })
  })

  test('may have every setting', () => {
    const steps = '[{ to: [ops], during: office, outside: drop }, { to: [boss] }, { after: 10m, to: [ops, boss] }]'
    const settings = `checks: [cart], tags: [shop], when: degraded, after: { runs: 2 }, recoverAfter: { time: 5m }, quorum: majority, steps: ${steps}, remind: { every: 30m, times: 3 }, group: { by: tag }, severity: error`
    expect(ruleOf(settings)).toEqual({
      id: 'r',
      checks: ['cart'],
      tags: ['shop'],
      when: { kind: 'degraded' },
      after: { runs: 2 },
      recoverAfter: { timeMs: 5 * minuteMs },
      quorum: 'majority',
      steps: [
        {
          afterMs: 0,
          to: ['ops'],
          during: { name: 'office', days: ['mon', 'tue'], fromMinutes: 480, toMinutes: 1080, zone: zoneOf('Europe/Berlin') },
          outside: 'drop',
        },
        { afterMs: 0, to: ['boss'], during: null, outside: 'hold' },
        { afterMs: 10 * minuteMs, to: ['ops', 'boss'], during: null, outside: 'hold' },
      ],
      remind: { everyMs: 30 * minuteMs, times: 3 },
      group: { by: 'tag', waitMs: 30_000 },
      severity: 'error',
    })
  })

  test.each([
    ['group: { by: location, wait: 2m }', { group: { by: 'location', waitMs: 120_000 } }],
    ['group: { by: none }', { group: { by: 'none', waitMs: 0 } }],
    ['when: silent', { when: { kind: 'silent' }, severity: 'warning' }],
    ['when: certificate', { when: { kind: 'certificate', days: [30, 14, 7, 1] }, severity: 'warning' }],
    ['when: { certificate: {} }', { when: { kind: 'certificate', days: [30, 14, 7, 1] } }],
    ['when: { certificate: { days: [3, 21] } }', { when: { kind: 'certificate', days: [21, 3] } }],
    ['quorum: 1, when: failing, after: { time: 90s }', { after: { timeMs: 90_000 }, severity: 'critical' }],
    [
      'when: sloBurn, checks: [cart]',
      {
        when: {
          kind: 'sloBurn',
          slos: [],
          pairs: [
            { factor: 14.4, longMs: 60 * minuteMs, shortMs: 5 * minuteMs },
            { factor: 6, longMs: 360 * minuteMs, shortMs: 30 * minuteMs },
            { factor: 3, longMs: 1440 * minuteMs, shortMs: 120 * minuteMs },
            { factor: 1, longMs: 4320 * minuteMs, shortMs: 360 * minuteMs },
          ],
        },
        severity: 'warning',
      },
    ],
    [
      'when: { sloBurn: { slos: [mails], pairs: [{ factor: 2, long: 1d, short: 50m }] } }',
      { when: { kind: 'sloBurn', slos: ['mails'], pairs: [{ factor: 2, longMs: 1440 * minuteMs, shortMs: 50 * minuteMs }] } },
    ],
  ])('supports %s', (entry, expected) => {
    expect(ruleOf(`to: [ops], ${entry}`)).toMatchObject(expected)
  })
})

describe('a fault of a rule is reported with its line', () => {
  test('with the nearest name for the first twenty unknown names', () => {
    const unknown = Array.from({ length: 21 }, (_, i) => `cart${i}`)
    const faults = faultsIn(fileWith(`alerts: [{ id: a, to: [ops], checks: [${unknown}] }]`))
    const hinted = (id: string) => (id === 'cart20' ? '' : '; did you mean cart?')
    expect(faults).toEqual(unknown.map((id, i) => `7: alerts[0].checks[${i}]: there is no check with the id ${id}${hinted(id)}`))
  })

  test.each([
    ['to: [opps]', 'to[0]: there is no channel with the id opps; did you mean ops?'],
    ['to: [ops, ops]', 'to[1] is listed twice'],
    ['to: []', 'to must be a list with at least 1 in it'],
    ['severity: info', ' notifies no one: set to, a list of channels, or steps'],
    ['to: [ops], steps: [{ to: [ops] }]', 'to is not allowed here: each step has its own to'],
    ['to: [ops], checks: [card]', 'checks[0]: there is no check with the id card; did you mean cart?'],
    ['to: [ops], wen: failing', 'wen is not a known setting here; did you mean when?'],
    [
      'to: [ops], when: broken',
      'when must be one of failing, degraded, silent, certificate, sloBurn, or a mapping such as { certificate: { days: [14, 3] } }',
    ],
    ['to: [ops], when: { failing: {} }', 'when must be failing, without settings'],
    ['to: [ops], when: { certificate: { days: [] } }', 'when.certificate.days must be a list with at least 1 in it'],
    ['to: [ops], when: { certificate: { day: [3] } }', 'when.certificate.day is not a known setting here; did you mean days?'],
    ['to: [ops], when: silent, after: { runs: 2 }', 'after is not allowed here: it belongs to failing and degraded, not to silent'],
    ['to: [ops], when: certificate, quorum: 1', 'quorum is not allowed here: it belongs to failing and degraded, not to certificate'],
    ['to: [ops], after: { runs: 0 }', 'after must be a mapping such as { runs: 2 }, from 1 to 1000, or { time: 5m }, from 1s to 7d'],
    ['to: [ops], recoverAfter: 5m', 'recoverAfter must be a mapping such as { runs: 2 }, from 1 to 1000, or { time: 5m }, from 1s to 7d'],
    ['to: [ops], checks: [cart], quorum: 3', 'quorum: the check cart has only 2 locations, so it would never alert'],
    ['to: [ops], quorum: 2', 'quorum: the check mail has only 1 location, so it would never alert'],
    ['steps: []', 'steps must be a list with at least 1 in it'],
    ['steps: [{ to: [ops], during: ofice }]', 'steps[0].during: there is no serviceHours named ofice; did you mean office?'],
    ['steps: [{ to: [ops], outside: drop }]', 'steps[0].outside is not allowed here: the step has no during'],
    ['steps: [{ to: [ops], after: 0s }]', 'steps[0].after must be a duration from 1s to 7d'],
    [
      'steps: [{ to: [ops], after: 10m }, { to: [boss], after: 5m }]',
      'steps[1].after must be not earlier than the previous step, which is after 10m',
    ],
    ['steps: [{ to: [ops], after: 10m }, { to: [boss] }]', 'steps[1] must be not earlier than the previous step, which is after 10m'],
    [`steps: [${Array.from({ length: 21 }, () => '{ to: [ops] }').join(', ')}]`, 'steps must be a list with at most 20 in it'],
    ['to: [ops], remind: { every: 5s, times: 1 }', 'remind.every must be a duration from 1m to 30d'],
    ['to: [ops], group: { by: shop }', 'group.by must be one of tag, location, none'],
    ['to: [ops], severity: bad', 'severity must be one of critical, error, warning, info'],
    ['to: [ops], when: { sloBurn: { slos: [cart] } }', 'when.sloBurn.slos[0]: there is no SLO with the id cart; did you mean carts?'],
    ['to: [ops], checks: [cart], when: { sloBurn: { slos: [carts] } }', 'checks is not allowed here: the rule lists its SLOs'],
    [
      'to: [ops], checks: [cart], when: { sloBurn: { pairs: [{ factor: 2, long: 1h, short: 1h }] } }',
      'when.sloBurn.pairs[0]: short must be less than long, which is 1h',
    ],
    [
      'to: [ops], when: { sloBurn: { pairs: [{ factor: 2, long: 1d, short: 40m }] } }',
      'when.sloBurn.pairs[0]: 40m, the short window of 1d, contains only 4 runs of the SLO mails; at least 5 are required: use a longer short window, or run its checks more often',
    ],
  ])('%s', (entry, text) => {
    expect(faultsOf(rule(entry))).toEqual([`8: alerts[0]${text.startsWith(' ') ? '' : '.'}${text}`])
  })

  test('for each default pair of burn rates that is too short for the frequency of an SLO', () => {
    expect(faultsOf(rule('to: [ops], when: sloBurn'))).toEqual([
      expect.stringMatching(/^8: alerts\[0\].when: 5m, the short window of 1h, contains not one run of the SLO mails/),
      expect.stringMatching(/^8: alerts\[0\].when: 30m, the short window of 6h, contains only 3 runs of the SLO mails/),
    ])
  })

  test('with parallel runs counted at each location', () => {
    const pairs = 'pairs: [{ factor: 2, long: 1h, short: 3m }]'
    expect(faultsOf(rule(`to: [ops], when: { sloBurn: { slos: [carts], ${pairs} } }`))).toEqual([])
    const inTurn = [check('cart', { locations: ['fra', 'nyc'] }), check('mail')]
    expect(faultsIn(fileWith(rule(`to: [ops], when: { sloBurn: { slos: [carts], ${pairs} } }`), inTurn))).toHaveLength(1)
  })

  test('for a duplicate id', () => {
    expect(faultsOf('alerts:\n  - { id: r, to: [ops] }\n  - { id: r, to: [boss] }')).toEqual([
      '9: alerts[1].id repeats the id of accounts[0].alerts[0].id',
    ])
  })
})

describe('channels', () => {
  const channels = (...entries: readonly string[]) =>
    `accounts:\n  - id: acme\n    channels:\n${entries.map((entry) => `      - { ${entry} }`).join('\n')}`

  test('have settings of their type, in which environment variables are secret', () => {
    const env = { LOFT_URL: 'https://loft.example/T0PS3CRET/drop', PLACE: 'Harbour Street' }
    const text = channels(`id: ops, type: pigeon, url: "$\{LOFT_URL}", token: "plain-token-9", room: "$\{PLACE}"`)
    const [channel] = parse(text, env).channels
    expect(channel).toMatchObject({ id: 'ops', type: 'pigeon', settings: { url: env.LOFT_URL, token: 'plain-token-9', room: env.PLACE } })
    expect(channel && shownSettings(channel)).toEqual({ url: 'https://loft.example/•••', token: '•••', room: '•••' })
  })

  test('show no secret in lists, mappings and names, however short it is', () => {
    const settings = { list: ['abc', { abc: 1 }], pin: 77, 'x-longer-secret': 'longer-secret is here' }
    const shown = shownSettings({ id: 'ops', type: 'pigeon', settings, secrets: ['abc', '77', 'longer-secret'] })
    expect(shown).toEqual({ list: ['•••', { abc: 1 }], pin: '•••', 'x-•••': '••• is here' })
  })

  test.each([
    ['id: ops, type: pidgeon', 'type: unknown channel type pidgeon; did you mean pigeon?'],
    ['id: ops, type: smoke', 'type: unknown channel type smoke; supported: pigeon'],
    ['id: ops', 'type must be one of pigeon'],
    ['id: o p s, type: pigeon, url: "http://a.example"', 'id must be text of 1 to 128 characters from A-Z, a-z, 0-9, _ and -'],
    ['id: ops, type: pigeon', 'url is missing: it must be an address that starts with http:// or https://'],
    ['id: ops, type: pigeon, url: "http://a.example", tokn: a', 'tokn is not a known setting here; did you mean token?'],
    ['id: ops, type: pigeon, url: "http://a.example", token: a, headers: {}', ': has either token or headers'],
  ])('with a fault: %s', (entry, text) => {
    expect(faultsIn(channels(entry))).toEqual([`4: channels[0]${text.startsWith(':') ? '' : '.'}${text}`])
  })

  test('need unique ids', () => {
    const pigeon = 'type: pigeon, url: "http://a.example"'
    expect(faultsIn(channels(`id: a, ${pigeon}`, `id: a, ${pigeon}`))).toEqual([
      '5: channels[1].id repeats the id of accounts[0].channels[0].id',
    ])
  })

  test('and rules are limited to a thousand each', () => {
    const many = (entry: object) => Array.from({ length: 1001 }, (_, index) => ({ ...entry, id: `n${index}` }))
    const account = { id: 'acme', channels: many({ type: 'pigeon', url: 'http://a.example' }), alerts: many({ to: ['n0'] }) }
    expect(faultsIn(JSON.stringify({ accounts: [account] }))).toEqual([
      '1: channels must be a list with at most 1000 in it',
      '1: alerts must be a list with at most 1000 in it',
    ])
  })

  test('do not show secrets in faults', () => {
    const [fault] = faultsIn(channels(`id: "$\{OPS_TOKEN}", type: pigeon, url: "http://a.example"`), { OPS_TOKEN: 'not an id' })
    expect(fault).not.toContain('not an id')
    expect(faultsIn(channels(`id: ops, type: "$\{OPS_TOKEN}"`), { OPS_TOKEN: 's3cr3t-type' })[0]).not.toContain('s3cr3t-type')
  })

  test('have a stable number, which differs between accounts and is a safe integer', () => {
    expect(channelNumber('acme', 'ops')).toBe(channelNumber('acme', 'ops'))
    expect(channelNumber('acme', 'ops')).not.toBe(channelNumber('other', 'ops'))
    expect(Number.isSafeInteger(channelNumber('acme', 'ops')) && channelNumber('acme', 'ops') > 0).toBe(true)
  })
})

describe('canaries and the dead man switch', () => {
  const account = (lines: string) =>
    `accounts:\n  - id: acme\n${lines
      .split('\n')
      .map((line) => `    ${line}`)
      .join('\n')}`

  test('are parsed', () => {
    const { canaries, deadManSwitch } = parse(
      account(
        `canary: { fra-1: ["one.one.one.one:443", "[2606:4700::1111]:53"], New York: [10.0.0.1:80] }\ndeadManSwitch: { url: "$\{DEAD_MAN}", every: 30s }`,
      ),
      { DEAD_MAN: 'https://hc.example/ping/0b1c-secret' },
    )
    expect(canaries).toEqual([
      { location: 'fra-1', targets: ['one.one.one.one:443', '[2606:4700::1111]:53'] },
      { location: 'New York', targets: ['10.0.0.1:80'] },
    ])
    expect(deadManSwitch).toMatchObject({ url: 'https://hc.example/ping/0b1c-secret', everyMs: 30_000 })
    expect(deadManSwitch?.secrets).toContain('ping/0b1c-secret')
    expect(parse(account('deadManSwitch: { url: "https://hc.example/x" }')).deadManSwitch?.everyMs).toBe(60_000)
  })

  test('are limited to 100 locations', () => {
    const canary = (count: number) =>
      account(`canary: ${JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, i) => [`l${i}`, ['dns.example:53']])))}`)
    expect(parse(canary(100)).canaries).toHaveLength(100)
    expect(faultsIn(canary(101))).toEqual(['3: canary must be a mapping with at most 100 locations in it'])
  })

  const endpointFault = 'must be a host and a port such as one.one.one.one:443 or [2606:4700::1111]:443'
  test.each([
    ['canary: [fra]', 'canary must be a mapping of locations to lists of host:port'],
    ['canary: { fra: [] }', 'canary.fra must be a list with at least 1 in it'],
    ['canary: { fra: [dns.example] }', `canary.fra[0] ${endpointFault}`],
    ['canary: { fra: ["dns.example:65536"] }', `canary.fra[0] ${endpointFault}`],
    ['canary: { fra: ["http://dns.example:80"] }', `canary.fra[0] ${endpointFault}`],
    ['canary: { "a,b": ["dns.example:53"] }', 'canary.a,b must be the name of a location: text of 1 to 128 characters without commas'],
    ['deadManSwitch: { every: 30s }', 'deadManSwitch.url is missing: it must be an address that starts with http:// or https://'],
    ['deadManSwitch: { url: "https://hc.example/x", every: 1s }', 'deadManSwitch.every must be a duration from 10s to 1d'],
    ['deadManSwitch: "https://hc.example/x"', 'deadManSwitch must be a mapping with url and every'],
  ])('with a fault: %s', (lines, text) => {
    expect(faultsIn(account(lines))).toEqual([`3: ${text}`])
  })
})

describe('dependsOn', () => {
  const depends = (edges: Readonly<Record<string, readonly string[]>>) =>
    JSON.stringify({ accounts: [{ id: 'acme', checks: Object.entries(edges).map(([id, dependsOn]) => check(id, { dependsOn })) }] })

  test('refers to other checks of the account, and is part of the fingerprint', () => {
    const parsed = [depends({ a: [], b: ['a'] }), depends({ a: [], b: [] })].map((text) => parseConfig(text, {}))
    const [one, other] = parsed.map((each) => ('config' in each ? each.config.checks[1] : undefined))
    expect(one?.dependsOn).toEqual(['a'])
    expect(other?.dependsOn).toEqual([])
    expect(one?.fingerprint).not.toBe(other?.fingerprint)
  })

  test('on an unknown check is a fault', () => {
    expect(faultsIn(depends({ router: [], shop: ['ruter'] }))).toEqual([
      '1: checks[1].dependsOn[0]: there is no check with the id ruter; did you mean router?',
    ])
  })

  test.each([
    ['itself', { a: ['a'] }, ['checks[0].dependsOn[0]: checks depend on each other in a cycle: a → a']],
    [
      'each other',
      { a: ['b'], b: ['c'], c: ['x', 'a'], x: [] },
      ['checks[2].dependsOn[1]: checks depend on each other in a cycle: a → b → c → a'],
    ],
    [
      'two cycles',
      { a: ['b'], b: ['a', 'c'], c: ['d'], d: ['c'] },
      [
        'checks[1].dependsOn[0]: checks depend on each other in a cycle: a → b → a',
        'checks[3].dependsOn[0]: checks depend on each other in a cycle: c → d → c',
      ],
    ],
    ['one check by two ways', { a: ['b', 'c'], b: ['d'], c: ['d'], d: [] }, []],
  ])('on %s', (_, edges, expected) => {
    expect(faultsIn(depends(edges as Record<string, readonly string[]>))).toEqual(expected.map((text) => `1: ${text}`))
  })

  test('in a cycle of hundreds of checks is reported in one line', () => {
    const count = 300
    const edges = Object.fromEntries(Array.from({ length: count }, (_, i) => [`n${i}`, [`n${(i + 1) % count}`]]))
    expect(faultsIn(depends(edges))).toEqual([
      `1: checks[299].dependsOn[0]: checks depend on each other in a cycle: ${Array.from({ length: 10 }, (_, i) => `n${i}`).join(' → ')} → 290 more → n0`,
    ])
  })
})

test.each(['status.example.com', 'https://status.example.com?x=1', 'https://me@status.example.com', 'ftp://status.example.com', ''])(
  'publicUrl cannot be %j',
  (publicUrl) => {
    expect(faultsIn(JSON.stringify({ publicUrl, accounts: [] }))).toEqual([
      '1: publicUrl must be an address such as https://status.example.com',
    ])
  },
)
