import { describe, expect, test } from 'vitest'
import { anyRunType, exampleCheck, pingedTypes, pingToken } from '../../../test/support/example-config.ts'
import { checkTypes } from '../../checks/registry.ts'
import { parseConfig, parseKeys } from './parse.ts'

const someType = anyRunType()
const some = exampleCheck(someType)
const [, settings] = Object.entries(some).find(([name]) => Object.hasOwn(someType.settings.properties, name)) ?? []
const settingsName = Object.keys(some).find((name) => Object.hasOwn(someType.settings.properties, name))

const { name: _, tags: __, ...rest } = some

/** A file with one account of one check, with one field per line from line 4 on. */
function fileWith(fields: Readonly<Record<string, unknown>>): string {
  const lines = Object.entries(fields).map(([name, value]) => `      ${name}: ${JSON.stringify(value)}`)
  return ['accounts:', '  - id: acme', '    checks:', ...lines].join('\n').replace('      ', '    - ')
}

function faultsOf(text: string, env = {}): readonly string[] {
  const parsed = parseConfig(text, env)
  return 'faults' in parsed ? parsed.faults.map(({ line, text: words }) => `${line}: ${words}`) : []
}

function configOf(text: string, env = {}) {
  const parsed = parseConfig(text, env)
  if ('faults' in parsed) throw new Error(parsed.faults.map(({ text: words }) => words).join('\n'))
  return parsed.config
}

describe('a valid file', () => {
  test.each(checkTypes)('may contain a check of type $type', (checkType) => {
    const [check] = configOf(fileWith(exampleCheck(checkType))).checks
    expect(check?.checkType).toBe(checkType)
    expect(check?.name).toBe(checkType.demo.name)
    expect(check?.everyMs).toBeGreaterThan(0)
  })

  test.each(pingedTypes)('has the period of a $type check from its settings, and no location', (checkType) => {
    const [check] = configOf(fileWith(exampleCheck(checkType)).replace(/"period":"[^"]+"/, '"period":"7m"')).checks
    expect(check).toMatchObject({ everyMs: 7 * 60_000, locations: [] })
  })

  test('has defaults for everything optional', () => {
    const { service, accounts, checks } = configOf(fileWith(some))
    expect(service).toEqual({
      publicUrl: null,
      retentionDays: 400,
      retentionDelayMs: 3_600_000,
      evidence: 'failures',
      evidenceRetentionDays: 30,
      allowUploadedCode: false,
      allowManagedLocations: false,
      rateLimit: { requests: 3000, perMs: 60_000 },
      limits: {
        locations: 1000,
        statusCodes: 1000,
        exports: 40,
        exportsPerKey: 4,
        streams: 500,
        streamsPerKey: 50,
        connections: 4000,
        connectionsPerAddress: 2000,
        evidenceBytes: 16_384,
        screenshotBytes: 131_072,
      },
      corsOrigins: [],
      accountHeaders: [],
      runnerLocations: null,
      addresses: { allow: [], deny: [] },
      clickhouse: null,
    })
    expect(accounts).toEqual([{ id: 'acme', name: 'acme', publicBadges: false }])
    expect(checks[0]).toMatchObject({
      activated: true,
      muted: false,
      everyMs: 60_000,
      locations: ['default'],
      runParallel: false,
      retry: null,
      timeoutMs: null,
      degradedResponseTimeMs: null,
      maxResponseTimeMs: null,
    })
  })

  test('may contain every setting', () => {
    const head =
      'publicUrl: https://status.example.com/tidemark/\nretention: 30d\nretentionDelay: 5m\nevidence: all\nevidenceRetention: 7d\nrateLimit: { requests: 5, per: 10s }\nlimits: { locations: 20 }\ncors: { origins: [https://dash.example.com] }\naccountHeaders: [X-Acme-Account]\naddresses: { allow: [127.0.0.0/8], deny: ["::1"] }\nallowManagedLocations: true\nrunner: { locations: [a] }\nstore: { clickhouse: { url: "https://ch.example.com:8443", urls: ["https://ch-2.example.com:8443"], cluster: main, passwordFile: secret, tls: { caFile: ca.pem } } }\n'
    const check = {
      ...some,
      retry: { strategy: 'linear', baseBackoff: '5s', maxRetries: 3 },
      locations: ['a', 'b'],
      timeout: '5s',
      degradedResponseTime: 300,
    }
    const { service, checks } = configOf(head + fileWith(check))
    expect(service).toEqual({
      publicUrl: 'https://status.example.com/tidemark',
      retentionDays: 30,
      retentionDelayMs: 300_000,
      evidence: 'all',
      evidenceRetentionDays: 7,
      allowUploadedCode: false,
      allowManagedLocations: true,
      rateLimit: { requests: 5, perMs: 10_000 },
      limits: {
        locations: 20,
        statusCodes: 1000,
        exports: 40,
        exportsPerKey: 4,
        streams: 500,
        streamsPerKey: 50,
        connections: 4000,
        connectionsPerAddress: 2000,
        evidenceBytes: 16_384,
        screenshotBytes: 131_072,
      },
      corsOrigins: ['https://dash.example.com'],
      accountHeaders: ['x-acme-account'],
      runnerLocations: ['a'],
      addresses: { allow: ['127.0.0.0/8'], deny: ['::1'] },
      clickhouse: {
        url: 'https://ch.example.com:8443',
        otherUrls: ['https://ch-2.example.com:8443'],
        database: 'tidemark',
        cluster: 'main',
        username: 'default',
        passwordFile: 'secret',
        caFile: 'ca.pem',
      },
    })
    expect(checks[0]).toMatchObject({
      locations: ['a', 'b'],
      timeoutMs: 5000,
      degradedResponseTimeMs: 300,
      retry: { strategy: 'linear', baseBackoffMs: 5000, maxRetries: 3, onlyOnNetworkErrors: false },
    })
  })

  test('has defaults for retries depending on their strategy', () => {
    const retryOf = (retry: object) => configOf(fileWith({ ...some, retry })).checks[0]?.retry
    const retry = { baseBackoffMs: 10_000, onlyOnNetworkErrors: false }
    expect(retryOf({ strategy: 'fixed' })).toEqual({ ...retry, strategy: 'fixed', maxRetries: 2 })
    expect(retryOf({ strategy: 'single' })).toEqual({ ...retry, strategy: 'single', maxRetries: 1 })
    expect(retryOf({ strategy: 'exponential', onlyOnNetworkErrors: true })).toMatchObject({ onlyOnNetworkErrors: true })
  })

  test('may have agent keys, which have no other scope', () => {
    const withScopes = (...scopes: string[]) => {
      const keys = [{ name: 'a', hash: `sha256:${'1'.repeat(64)}`, scopes }]
      return JSON.stringify({ accounts: [{ id: 'acme', keys }] })
    }
    expect(configOf(withScopes('agent:New York')).keys[0]?.scopes).toEqual(['agent:New York'])
    expect(faultsOf(withScopes('agent:eu', 'read'))).toEqual(['1: accounts[0].keys[0]: a scope agent:… must be the only one of its key'])
    expect(faultsOf(withScopes('agent:'))).toEqual([
      '1: accounts[0].keys[0].scopes[0] must be one of read, ingest, metrics, operate, write, admin, or agent: and a location',
    ])
  })

  test('may omit the tags of a check, and the id of a key, which is then derived from its hash', () => {
    const { tags: _, ...untagged } = some
    expect(configOf(fileWith(untagged)).checks[0]?.tags).toEqual([])
    const keys = [
      { name: 'a', hash: `sha256:0123456789${'0'.repeat(54)}`, scopes: ['read'] },
      { id: 'Ab3dE9xQ', name: 'b', hash: `sha256:${'1'.repeat(64)}`, scopes: ['read', 'ingest'] },
    ]
    expect(configOf(JSON.stringify({ accounts: [{ id: 'acme', keys }] })).keys).toEqual([
      { ...keys[0], id: '01234567', account: 'acme' },
      { ...keys[1], account: 'acme' },
    ])
  })

  test.each([
    ['frequency', '10s'],
    ['frequency', '30d'],
    ['timeout', '1s'],
    ['timeout', '1h'],
  ])('may have a %s of %s', (name, value) => {
    expect(faultsOf(fileWith({ ...some, [name]: value }))).toEqual([])
  })

  test('may have another frequency while a check fails', () => {
    const [slow] = configOf(fileWith({ ...some, frequency: '1m' })).checks
    const [fast] = configOf(fileWith({ ...some, frequency: '1m', frequencyWhenFailing: '20s' })).checks
    expect([slow?.failingEveryMs, fast?.failingEveryMs]).toEqual([null, 20_000])
  })

  test('may use many aliases', () => {
    const lines = Array.from({ length: 500 }, (_, i) => `  - { id: a${i}, keys: *none }`)
    expect(faultsOf(['accounts:', '  - { id: first, keys: &none [] }', ...lines].join('\n'))).toEqual([])
  })

  test('may be JSON', () => {
    const text = JSON.stringify({ accounts: [{ id: 'acme', checks: [some] }] }, null, '\t')
    expect(configOf(text).checks).toHaveLength(1)
  })

  test('gives a check without an id a UUID derived from account and name', () => {
    const id = (text: string) => configOf(text).checks[0]?.id
    const first = id(fileWith(some))
    expect(first).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(id(fileWith({ ...some, tags: ['other'] }))).toBe(first)
    expect(id(fileWith({ ...some, name: 'Other' }))).not.toBe(first)
  })

  test('changes the fingerprint of a check with its definition, not with the order of its fields', () => {
    const fingerprint = (fields: Readonly<Record<string, unknown>>) => configOf(fileWith(fields)).checks[0]?.fingerprint
    const { name, ...rest } = some
    expect(fingerprint({ ...rest, name })).toBe(fingerprint(some))
    expect(fingerprint({ ...some, muted: true })).not.toBe(fingerprint(some))
    expect(fingerprint({ ...some, evidence: 'none' })).not.toBe(fingerprint(some))
  })
})

describe('every fault is reported with its line', () => {
  test('all of them, not only the first', () => {
    const text = fileWith({ ...some, frequency: 'often', muted: 'no', locations: [] })
    const lineOf = (word: string) => text.split('\n').findIndex((line) => line.includes(`${word}:`)) + 1
    expect(faultsOf(text)).toEqual([
      `${lineOf('frequency')}: accounts[0].checks[0].frequency must be a duration such as 10s, 5m, 1h or 30d`,
      `${lineOf('muted')}: accounts[0].checks[0].muted must be true or false`,
      `${lineOf('locations')}: accounts[0].checks[0].locations must be a list with at least 1 in it`,
    ])
  })

  test('more than eight of them', () => {
    const checks = Array.from({ length: 20 }, (_, index) => ({ ...some, id: `check-${index}`, frequency: 'often' }))
    expect(faultsOf(JSON.stringify({ accounts: [{ id: 'acme', checks }] }))).toHaveLength(20)
  })

  test('a missing field, at its check', () => {
    const { frequency: _, ...rest } = some
    expect(faultsOf(fileWith(rest))).toEqual([
      '4: accounts[0].checks[0].frequency is missing: it must be a duration such as 10s, 5m, 1h or 30d',
    ])
  })

  test('an unknown field, with the nearest known name', () => {
    expect(faultsOf(fileWith({ name: 'x', frequencey: '1m', ...some }))).toEqual([
      '5: accounts[0].checks[0].frequencey is not a known setting here; did you mean frequency?',
    ])
    expect(faultsOf('acounts: []\naccounts: []')).toEqual(['1: acounts is not a known setting here; did you mean accounts?'])
  })

  test.each(checkTypes)('an unknown field of a $type check', (checkType) => {
    expect(faultsOf(fileWith({ ...exampleCheck(checkType), colour: 'red' }))).toHaveLength(1)
  })

  test.each(checkTypes)('a $type check without its settings', (checkType) => {
    const common = Object.entries(exampleCheck(checkType)).filter(([name]) => !Object.hasOwn(checkType.settings.properties, name))
    expect(faultsOf(fileWith(Object.fromEntries(common)))).toHaveLength(1)
  })

  test('an unknown type, with the supported ones', () => {
    expect(faultsOf(fileWith({ ...some, type: `${someType.type}S` }))).toEqual([
      `5: accounts[0].checks[0].type: unknown check type ${someType.type}S; supported: ${checkTypes.map(({ type }) => type).join(', ')}`,
    ])
  })

  test.each(pingedTypes)('a field of scheduled checks, in a check of type $type', (checkType) => {
    const [fault] = faultsOf(fileWith({ frequency: '1m', ...exampleCheck(checkType) }))
    expect(fault).toBe(`4: accounts[0].checks[0].frequency is not allowed here: ${checkType.type} checks wait for pings`)
  })

  test.each(['9s', '1m', '2m'])('a frequencyWhenFailing of %s', (frequencyWhenFailing) => {
    const [fault] = faultsOf(fileWith({ frequencyWhenFailing, ...some, frequency: '1m' }))
    expect(fault).toBe('4: accounts[0].checks[0].frequencyWhenFailing must be at least 10s, and less than the frequency, which is 1m')
  })

  test.each(['1s', '9s', '9999ms', '31d'])('a frequency of %s', (frequency) => {
    const [fault] = faultsOf(fileWith({ frequency, ...Object.fromEntries(Object.entries(some).filter(([name]) => name !== 'frequency')) }))
    expect(fault).toBe('4: accounts[0].checks[0].frequency must be at least 10s and at most 30d')
  })

  test.each(['999ms', '61m'])('a timeout of %s', (timeout) => {
    expect(faultsOf(fileWith({ timeout, ...some }))).toEqual(['4: accounts[0].checks[0].timeout must be at least 1s and at most 1h'])
  })

  test('more than one retry where the strategy is single', () => {
    const faults = (maxRetries: number) => faultsOf(fileWith({ retry: { strategy: 'single', maxRetries }, ...some }))
    expect(faults(2)).toEqual(['4: accounts[0].checks[0].retry.maxRetries must be 1 for the strategy single'])
    expect(faults(1)).toEqual([])
  })

  test('a degraded response time above the maximum', () => {
    const faults = (degradedResponseTime: number) => faultsOf(fileWith({ degradedResponseTime, maxResponseTime: 500, ...some }))
    expect(faults(501)).toEqual(['4: accounts[0].checks[0].degradedResponseTime must be at most maxResponseTime, which is 500'])
    expect(faults(500)).toEqual([])
  })

  test.each(checkTypes.filter(({ files }) => files))('a missing file or folder of a $type check', (checkType) => {
    const text = fileWith(exampleCheck(checkType))
    const looked: string[] = []
    const isThere = ({ setting }: { readonly setting: string }) => looked.push(setting) === 0
    const parsed = parseConfig(text, {}, { isThere })
    const faults = 'faults' in parsed ? parsed.faults.map(({ text: words }) => words) : []
    expect(faults).toEqual(
      looked.map((setting) => expect.stringMatching(`^accounts\\[0\\]\\.checks\\[0\\]\\.${setting}: there is no (file|folder) .`)),
    )
    expect(parseConfig(text, {})).toHaveProperty('config')
  })

  test('a number instead of text', () => {
    expect(faultsOf('accounts:\n  - name: Acme\n    id: 42')).toEqual([
      '3: accounts[0].id must be text of 1 to 128 characters from A-Z, a-z, 0-9, _ and - (put it in quotes)',
    ])
  })

  test('duplicate ids, names without ids, keys and ping tokens', () => {
    const hash = `sha256:${'0'.repeat(64)}`
    const key = { name: 'k', hash, scopes: ['read'] }
    const pinged = pingedTypes.flatMap((checkType) => [1, 2].map((n) => ({ ...exampleCheck(checkType), id: `${checkType.path}-${n}` })))
    const text = JSON.stringify({ accounts: [{ id: 'acme', keys: [key, key], checks: [some, some, ...pinged] }, { id: 'acme' }] }, null, 1)
    expect(faultsOf(text).map((fault) => fault.replace(/^\d+: /, ''))).toEqual([
      'accounts[0].keys[1].name repeats the name of accounts[0].keys[0].name',
      'accounts[0].keys[1].hash repeats the hash of accounts[0].keys[0].hash',
      'accounts[0].checks[1] repeats the id (or, without ids, the name) of accounts[0].checks[0]',
      'accounts[0].checks[3] repeats the ping token of accounts[0].checks[2]',
      'accounts[1].id repeats the id of accounts[0].id',
    ])
  })

  test('a ping key that is too short, used by two accounts, or the token of a check', () => {
    const [pinged] = pingedTypes.map((checkType) => exampleCheck(checkType))
    const keys = [pingToken, 'a-key-of-two-accounts', 'a-key-of-two-accounts', 'short', 'a key of several words', `$\{HC_KEY}`]
    const accounts = keys.map((pingKey, index) => ({ id: `a${index}`, pingKey, ...(index === 0 && { checks: [pinged] }) }))
    const text = JSON.stringify({ accounts }, null, 1)
    const parsed = parseConfig(text, { HC_KEY: 'a-key-of-the-environment' })
    expect('faults' in parsed && parsed.faults.map((fault) => fault.text).toSorted()).toEqual([
      'accounts[0].pingKey repeats the ping token of accounts[0].checks[0]',
      'accounts[2].pingKey repeats the ping token of accounts[1].pingKey',
      expect.stringMatching(/^accounts\[3\].pingKey must be 16 to 128 letters/),
      expect.stringMatching(/^accounts\[4\].pingKey must be 16 to 128 letters/),
    ])
    expect(parseKeys(text)).toHaveProperty('keys')
  })

  test('values out of range in addition to structural faults', () => {
    const checks = [
      { ...some, name: 'A', frequency: '1x', type: 'NOPE' },
      { ...some, name: 'B', frequency: '5s', colour: 'red' },
      { ...some, name: 'C' },
      { ...some, name: 'C' },
    ]
    const text = JSON.stringify({ retention: '36h', acounts: [], accounts: [{ id: 'acme', checks }] }, null, 1)
    expect(faultsOf(text).map((fault) => fault.replace(/^\d+: /, ''))).toEqual([
      'retention must be whole days such as 400d',
      'acounts is not a known setting here; did you mean accounts?',
      expect.stringContaining('accounts[0].checks[0].type: unknown check type NOPE'),
      'accounts[0].checks[0].frequency must be a duration such as 10s, 5m, 1h or 30d',
      'accounts[0].checks[1].frequency must be at least 10s and at most 30d',
      expect.stringContaining('accounts[0].checks[1].colour is not a known setting here'),
      'accounts[0].checks[3] repeats the id (or, without ids, the name) of accounts[0].checks[2]',
    ])
  })

  test('a duplicate key in a mapping, and invalid YAML', () => {
    expect(faultsOf('accounts: []\nretention: 1d\nretention: 2d')).toEqual(['3: this key appears twice in the same mapping'])
    expect(faultsOf('accounts:\n  - id: [a')[0]).toMatch(/^2: invalid YAML: /)
    expect(faultsOf('')).toEqual(['1: the file is empty: it must have at least accounts'])
    expect(faultsOf('accounts')).toHaveLength(1)
  })

  test('a retention that is not in whole days, and invalid address blocks', () => {
    expect(faultsOf('evidenceRetention: 36h\naccounts: []')).toEqual(['1: evidenceRetention must be whole days such as 30d'])
    expect(faultsOf('retention: 36h\naddresses:\n  allow: [10.0.0.0/8, 10.0.0.0/33]\n  deny: [localhost]\naccounts: []')).toEqual([
      '1: retention must be whole days such as 400d',
      '3: addresses.allow[1] must be an address or CIDR block such as 10.0.0.0/8',
      '4: addresses.deny[0] must be an address or CIDR block such as 10.0.0.0/8',
    ])
  })

  test('a name, at its own line, even if its value begins on the next', () => {
    expect(faultsOf('accounts:\n  []\nnonsense:\n  a: 1')).toEqual([expect.stringMatching(/^3: nonsense is not a known setting here/)])
    expect(faultsOf('accounts:\n  - id: acme\n    keys:\n      a: 1')).toEqual([expect.stringMatching(/^4: accounts\[0\].keys must be /)])
    expect(faultsOf('accounts:\n  - id: acme\n    name:\n    keys: []')).toEqual([expect.stringMatching(/^3: accounts\[0\].name must be /)])
  })

  test.each(['constructor', 'toString', '__proto__'])('the unknown name %s', (name) => {
    expect(faultsOf(`accounts: []\n${name}: 1`)).toEqual([expect.stringMatching(`^2: ${name} is not a known setting here`)])
  })

  test('more tags or locations than a check can have', () => {
    const names = (count: number) => Array.from({ length: count }, (_, index) => `n${index}`)
    const faultsWith = (tags: number, locations: number) =>
      faultsOf(JSON.stringify({ accounts: [{ id: 'acme', checks: [{ ...some, tags: names(tags), locations: names(locations) }] }] }))
    expect(faultsWith(101, 1001)).toEqual([
      '1: accounts[0].checks[0].tags must be a list with at most 100 in it',
      '1: accounts[0].checks[0].locations must be a list with at most 1000 in it',
    ])
    expect(faultsWith(100, 1000)).toEqual([])
  })

  test('values that are listed twice or more', () => {
    const hash = `sha256:${'0'.repeat(64)}`
    const text = JSON.stringify({ accounts: [{ id: 'acme', keys: [{ name: 'k', hash, scopes: ['read', 'ingest', 'read', 'read'] }] }] })
    expect(faultsOf(text)).toEqual(['1: accounts[0].keys[0].scopes[2] is listed twice', '1: accounts[0].keys[0].scopes[3] is listed twice'])
    expect(faultsOf('accounts: [{ id: a }, { id: a }, { id: a }]')).toEqual([
      '1: accounts[1].id repeats the id of accounts[0].id',
      '1: accounts[2].id repeats the id of accounts[0].id',
    ])
  })

  test.each(['https://a.example/', 'https://a.example/path', 'a.example', 'https://*.a.example', 'https://u@a.example', 'null'])(
    'the origin %s',
    (origin) => {
      expect(faultsOf(`cors: { origins: ["${origin}"] }\naccounts: []`)).toEqual([
        '1: cors.origins[0] must be an origin such as https://dashboards.example.com, without a path, or * for all',
      ])
    },
  )

  test('accounts and checks of a wrong type', () => {
    expect(faultsOf('accounts:\n  - 5\n  - id: acme\n    checks: 7\n  - id: other\n    checks: [8]')).toEqual([
      '2: accounts[0] must be a mapping with id, name, publicBadges, managedVariables, pingKey, keys, links, defaults, groups, checks, include, maintenance, serviceHours, slos, channels, alerts, canary, deadManSwitch',
      '4: accounts[1].checks must be a list',
      expect.stringMatching(/^6: accounts\[2\].checks\[0\] must be /),
    ])
    expect(faultsOf('[]')).toEqual([expect.stringMatching(/^1: the file must be a mapping with /)])
  })

  test('a check without a type, or with one that is not text', () => {
    const { type: _, ...untyped } = some
    const types = checkTypes.map(({ type }) => type).join(', ')
    expect(faultsOf(fileWith(untyped))).toEqual([`4: accounts[0].checks[0].type must be one of ${types}`])
    expect(faultsOf(fileWith({ ...some, type: 7 }))).toEqual([`5: accounts[0].checks[0].type must be one of ${types}`])
  })

  test('several documents, and too many aliases', () => {
    expect(faultsOf('accounts: []\n---\naccounts: []')).toEqual([expect.stringMatching(/: the file must contain exactly one document$/)])
    const bomb = ['a: &a [1]', ...'bcdefghij'.split('').map((name, i) => `${name}: &${name} [${`*${'abcdefghi'[i]},`.repeat(9)}]`)].join(
      '\n',
    )
    expect(faultsOf(bomb)).toEqual(['8: there are too many aliases in the file'])
  })

  test('invalid YAML, with the message of the parser', () => {
    expect(faultsOf('accounts:\n  - id: [a')[0]).toMatch(/^2: invalid YAML: [a-z]/)
    expect(faultsOf('accounts:\n\t- id: a')[0]).toBe('2: invalid YAML: tabs are not allowed as indentation')
  })

  test('a value within an alias, at the line of its definition', () => {
    const text = `accounts:\n  - id: a\n    keys: &keys\n      - { name: k, hash: none, scopes: [read] }\n  - id: b\n    keys: *keys`
    expect(faultsOf(text).map((fault) => fault.slice(0, 2))).toEqual(['4:', '4:'])
  })
})

describe('merge keys', () => {
  const { tags: ___, ...untagged } = some
  const checks = JSON.stringify({ ...untagged, name: 'B' }).slice(1, -1)

  test('merge what a mapping does not set itself, also from a part whose name starts with x-', () => {
    const text = `x-slow: &slow { frequency: 1h, tags: [slow] }\naccounts:\n  - id: acme\n    checks:\n      - { <<: *slow, name: A, ${without('name', 'frequency', 'tags')} }\n      - { <<: [*slow], ${checks}, tags: [b] }`
    const [a, b] = configOf(text).checks
    expect(a).toMatchObject({ name: 'A', everyMs: 3_600_000, tags: ['slow'] })
    expect(b).toMatchObject({ name: 'B', everyMs: 60_000, tags: ['b'] })
  })

  test('have faults of merged values at the line of their definition', () => {
    const text = `x-slow: &slow { frequency: often }\naccounts:\n  - id: acme\n    checks:\n      - { <<: *slow, name: A, ${without('name', 'frequency')} }`
    expect(faultsOf(text)).toEqual(['1: accounts[0].checks[0].frequency must be a duration such as 10s, 5m, 1h or 30d'])
  })

  test('need a mapping', () => {
    expect(faultsOf('accounts:\n  - id: acme\n    <<: 5')).toEqual(['3: << takes a mapping, or a list of them, such as *defaults'])
  })

  test('keep the secrets in merged values', () => {
    const text = `x-name: &name { name: "Shop $\{SHOP_TOKEN}" }\naccounts:\n  - id: acme\n    checks:\n      - { <<: *name, ${without('name')} }`
    expect(configOf(text, { SHOP_TOKEN: 'sesame' }).checks[0]?.name).toBe('Shop •••')
  })

  const without = (...names: readonly string[]) =>
    JSON.stringify(Object.fromEntries(Object.entries(some).filter(([name]) => !names.includes(name)))).slice(1, -1)
})

test('an alias that contains itself, and aliases that expand exponentially, are faults', () => {
  expect(faultsOf('accounts: &a\n  - id: acme\n    checks: *a')).toEqual(['3: an alias refers to itself'])
  const levels = Array.from({ length: 10 }, (_, n) => `x-${n + 1}: &a${n + 1} [${`*a${n}, `.repeat(9)}*a${n}]`)
  expect(faultsOf(`x-0: &a0 [lol]\n${levels.join('\n')}\naccounts: []`)).toEqual(['8: there are too many aliases in the file'])
})

test('an alias can be used by thousands of checks', () => {
  const checks = Array.from({ length: 2000 }, (_, n) =>
    `      - { ...x, name: "check ${n}", tags: *tags }`.replace('...x', JSON.stringify(rest).slice(1, -1)),
  )
  expect(configOf(`x-tags: &tags [a]\naccounts:\n  - id: acme\n    checks:\n${checks.join('\n')}`).checks).toHaveLength(2000)
})

describe('a variable in a text', () => {
  const variable = (name: string) => `$\{${name}}`

  test('is replaced with its value, unless it is escaped with a second dollar', () => {
    const { accounts } = configOf(`accounts:\n  - { id: "${variable('ID')}-1", name: "$${variable('ID')} ${variable('ID')}" }`, {
      ID: 'acme',
    })
    expect(accounts).toEqual([{ id: 'acme-1', name: `${variable('ID')} acme`, publicBadges: false }])
  })

  test('is not replaced in a key of a mapping', () => {
    const faults = faultsOf(`accounts: []\n"${variable('ID')}": 1`, { ID: 'retention' })
    expect(faults).toEqual([expect.stringContaining(`${variable('ID')} is not a known setting here`)])
  })

  test('that is not set is a single fault', () => {
    const text = `accounts:\n  - id: acme\n    name: ${variable('ABSENT')}`
    expect(faultsOf(text)).toEqual([`3: ${variable('ABSENT')} is not set in the environment`])
  })

  test('is never shown in a fault', () => {
    expect(faultsOf(`accounts:\n  - id: ${variable('SECRET')}`, { SECRET: 'not an id' }).join()).not.toContain('not an id')
    expect(faultsOf(fileWith({ ...some, type: variable('KIND') }), { KIND: 'sesame' }).join()).toMatch(/unknown check type •••/)
  })

  test('is redacted in the name of a check if it is secret, without changing id and fingerprint', () => {
    const named = (name: string) => configOf(fileWith({ ...some, name }), { SHOP_TOKEN: 'sesame' }).checks[0]
    const [hidden, plain] = [named(`Shop ${variable('SHOP_TOKEN')}`), named('Shop sesame')]
    expect([hidden?.name, plain?.name]).toEqual(['Shop •••', 'Shop sesame'])
    expect(hidden).toMatchObject({ id: plain?.id, fingerprint: plain?.fingerprint })
  })
})

test('accounts and keys can be read even if a variable of a check is not set', () => {
  const parsed = parseKeys(fileWith({ ...some, name: `$\{ABSENT}` }))
  expect('keys' in parsed && parsed.keys.accounts.map(({ id }) => id)).toEqual(['acme'])
})

test.each([
  ['is invalid YAML', 'accounts: [', /^1: invalid YAML/],
  ['has a fault in its accounts', 'accounts:\n  - id: 5', /^2: accounts\[0\].id must be/],
])('accounts and keys cannot be read if the file %s', (_, text, fault) => {
  const parsed = parseKeys(text)
  expect('faults' in parsed && parsed.faults.map(({ line, text: words }) => `${line}: ${words}`)).toEqual([expect.stringMatching(fault)])
})

test('the settings of a type are passed to its check unchanged', () => {
  const [check] = configOf(fileWith(some)).checks
  expect(check?.settings[settingsName ?? '']).toEqual(settings)
})

describe('a small file that would expand enormously', () => {
  const levels = (count: number, line: (n: number) => string) => Array.from({ length: count }, (_, n) => line(n + 1)).join('\n')
  const times = (count: number, text: string) => new Array(count).fill(text).join(', ')
  const end = 'accounts: [{ id: acme, name: Acme }]'

  test('by nested lists of merge keys is accepted, since each mapping is merged once', () => {
    const text = `x-0: &a0 { k: 1 }\n${levels(40, (n) => `x-${n}: &a${n} { <<: [${times(40, `*a${n - 1}`)}], k${n}: 1 }`)}\n${end}`
    expect(faultsOf(text)).toEqual([])
    expect(faultsOf(`${text}\nwrong: { <<: *a40 }`)).toEqual([expect.stringMatching(/^43: wrong is not a known setting here/)])
  })

  test('by merging a large mapping many times is a fault at its line', () => {
    const names = levels(1000, (n) => `  k${n}: 1`)
    const uses = levels(1000, (n) => `x-use-${n}: { <<: *a }`)
    expect(faultsOf(`x-a: &a\n${names}\n${uses}\n${end}`)).toEqual([
      expect.stringMatching(/^1\d\d\d: merge keys \(<<\) merge more than 500,000 keys in this file$/),
    ])
  })

  test('by merging a long list many times is a fault at its line', () => {
    const list = `x-list: &list [${times(1000, '*a')}]`
    const text = `x-a: &a { k: 1 }\n${list}\n${levels(1000, (n) => `x-use-${n}: { <<: *list }`)}\n${end}`
    expect(faultsOf(text)).toEqual([expect.stringMatching(/^\d+: merge keys \(<<\) merge more than/)])
  })

  test('by merging a mapping into itself is a fault at its line', () => {
    expect(faultsOf(`x-0: 1\nx-a: &a { <<: *a, k: 1 }\n${end}`)).toEqual(['2: a merge key (<<) refers to itself'])
    expect(faultsOf(`x-a: &a { k: &b { <<: *a } }\n${end}`)).toEqual([expect.stringMatching(/^1: an alias refers to itself$/)])
  })

  test.each([
    ['brackets', '['.repeat(30_000)],
    ['braces', '{a: '.repeat(30_000)],
    ['dashes', '- '.repeat(30_000)],
    ['question marks', '? '.repeat(30_000)],
    ['columns', levels(600, (n) => `${' '.repeat(n)}a:`)],
    ['brackets behind what is no YAML', `a: b: c\n${'['.repeat(30_000)}`],
  ])('by %s is rejected before it can exhaust the stack', (_, nested) => {
    expect(faultsOf(`x-a: 1\nx-b: &b\n${nested}`)).toEqual([expect.stringMatching(/^\d+: this is nested more than 500 levels deep$/)])
    expect(faultsOf(nested)).toEqual([expect.stringMatching(/^\d+: this is nested more than 500 levels deep$/)])
  })

  test('by a chain of aliases is rejected, and one of merge keys is not', () => {
    const aliases = levels(2000, (n) => `x-${n}: &a${n} [*a${n - 1}]`)
    expect(faultsOf(`x-0: &a0 [1]\n${aliases}\n${end}`)).toEqual(['501: this is nested more than 500 levels deep'])
    const merges = levels(2000, (n) => `x-${n}: &a${n} { <<: *a${n - 1} }`)
    expect(faultsOf(`x-0: &a0 { k: 1 }\n${merges}\n${end}`)).toEqual([])
  })

  test('by aliases that a quick scan does not find is rejected', () => {
    const bomb = `{"x-0":&a0 ["lol"], ${Array.from({ length: 10 }, (_, n) => `"x-${n + 1}":&a${n + 1} [${times(10, `*a${n}`)}]`).join(', ')}, "accounts": []}`
    expect(faultsOf(bomb)).toEqual(['1: there are too many aliases in the file'])
  })
})

test.each([
  [{ schedule: '0 3 * * *', timezone: 'Europe/Berlin' }, null],
  [{ schedule: '0 3 * * *' }, null],
  [{}, 'either period or schedule is required'],
  [{ period: '1h', schedule: '0 3 * * *' }, 'either period or schedule is required'],
  [{ period: '1h', timezone: 'UTC' }, 'timezone requires a schedule'],
  [{ schedule: '0 3 * *' }, 'heartbeat: schedule must have the five fields of a crontab'],
  [{ schedule: '0 3 30 feb *' }, 'heartbeat: schedule must be due at least once a year'],
  [{ schedule: '61 3 * * *' }, 'heartbeat: schedule must have a minute of 0 to 59'],
  [{ schedule: '0 3 * foo mon' }, 'heartbeat: schedule must have a month of 1 to 12'],
  [{ schedule: '0 3 * * *', timezone: 'Europe/Berlinn' }, 'unknown time zone Europe/Berlinn'],
])('a heartbeat of %j has the fault %j', (heartbeat, fault) => {
  const [pinged] = pingedTypes
  const check = { ...(pinged && exampleCheck(pinged)), heartbeat: { ...heartbeat, token: 'a-token-of-32-characters-0123456' } }
  const faults = faultsOf(fileWith(check))
  if (fault === null) expect(faults).toEqual([])
  else expect(faults.join()).toContain(fault)
})
