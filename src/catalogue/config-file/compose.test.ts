// biome-ignore-all lint/suspicious/noTemplateCurlyInString: config files have them
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { anyRunType, exampleCheck, pingedTypes } from '../../../test/support/example-config.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { shownDefinition } from '../written-definition.ts'
import { openConfigFolder } from './config-folder.ts'
import { parseConfig } from './parse.ts'

const [type, other] = [anyRunType(0), anyRunType(1)]
const entry = (name: string, more: object = {}): Record<string, unknown> => {
  const { frequency: _, tags: __, ...rest } = exampleCheck(type)
  return { ...rest, name, ...more }
}
const ofOther = (name: string, more: object = {}): Record<string, unknown> => {
  const { frequency: _, tags: __, ...rest } = exampleCheck(other)
  return { ...rest, name, ...more }
}

/** Parses the first of these files; strings are written as text, other values as JSON. */
function parse(files: Readonly<Record<string, unknown>>, env = {}) {
  const folder = temporaryFolder()
  for (const [name, contents] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), textOf(contents))
  }
  const [main] = Object.values(files)
  return parseConfig(textOf(main), env, { folder: openConfigFolder(folder) })
}

const textOf = (contents: unknown) => (typeof contents === 'string' ? contents : JSON.stringify(contents, null, 1))

function configOf(...args: Parameters<typeof parse>) {
  const parsed = parse(...args)
  if ('faults' in parsed) throw new Error(JSON.stringify(parsed.faults))
  return parsed.config
}

function faultsOf(...args: Parameters<typeof parse>): readonly string[] {
  const parsed = parse(...args)
  const faults = 'faults' in parsed ? parsed.faults : parsed.config.refused
  return faults.map(({ file, line, text }) => `${file ?? 'main'}:${line}: ${text}`)
}

const main = (account: object, more: object = {}) => ({ 'main.yaml': { ...more, accounts: [{ id: 'acme', ...account }] } })
const minutes = (count: number) => count * 60_000

describe('defaults', () => {
  test('are those of the file, the account, the group and the check, and the nearest wins', () => {
    const { checks } = configOf(
      main(
        {
          defaults: { tags: ['account'], locations: ['eu'] },
          checks: [entry('a'), entry('b', { tags: ['own'] })],
          groups: [{ id: 'web', defaults: { tags: ['group'], frequency: '5m' }, checks: [entry('c'), entry('d', { frequency: '10m' })] }],
        },
        { defaults: { frequency: '1m', tags: ['file'], retry: { strategy: 'single' } } },
      ),
    )
    expect(checks.map(({ name, everyMs, tags, locations }) => [name, everyMs, tags, locations])).toEqual([
      ['a', minutes(1), ['account'], ['eu']],
      ['b', minutes(1), ['own'], ['eu']],
      ['c', minutes(5), ['group'], ['eu']],
      ['d', minutes(10), ['group'], ['eu']],
    ])
    expect(checks.map(({ retry }) => retry?.strategy)).toEqual(['single', 'single', 'single', 'single'])
    expect(checks.map(({ origin }) => origin.group)).toEqual([null, null, 'web', 'web'])
  })

  test('of a type override those of all types at the same level, but not those of a nearer level', () => {
    const account = { checks: [entry('a'), ofOther('b')], groups: [{ id: 'g', defaults: { timeout: '9s' }, checks: [entry('c')] }] }
    const { checks } = configOf(main(account, { defaults: { frequency: '1m', timeout: '5s', [type.type]: { timeout: '7s' } } }))
    expect(checks.map(({ timeoutMs }) => timeoutMs)).toEqual([7000, 5000, 9000])
  })

  test.each(pingedTypes)('leave out fields that $type checks do not have', (pinged) => {
    const { checks } = configOf(main({ checks: [exampleCheck(pinged)] }, { defaults: { frequency: '1m', locations: ['eu'], muted: true } }))
    expect(checks).toMatchObject([{ muted: true, locations: [] }])
  })

  test('may set the type', () => {
    const { type: _, ...rest } = entry('a')
    expect(configOf(main({ checks: [rest] }, { defaults: { type: type.type, frequency: '1m' } })).checks).toMatchObject([
      { checkType: type },
    ])
  })

  test('are not inherited where a field is null', () => {
    const { checks } = configOf(
      main({ checks: [entry('a', { retry: null })] }, { defaults: { frequency: '1m', retry: { strategy: 'fixed' } } }),
    )
    expect(checks).toMatchObject([{ retry: null }])
    expect(configOf(main({ checks: [entry('a', { tags: null })] }, { defaults: { frequency: '1m' } })).checks).toMatchObject([{ tags: [] }])
    expect(faultsOf(main({ checks: [entry('a', { frequency: null })] }))).toEqual([expect.stringContaining('.frequency must be')])
  })

  test('with a fault are reported once, at their line', () => {
    const file = `defaults:\n  frequency: often\naccounts:\n  - id: acme\n    checks:\n${[1, 2, 3].map((i) => `      - ${JSON.stringify(entry(`c${i}`))}`).join('\n')}`
    expect(faultsOf({ 'main.yaml': file })).toEqual(['main:2: defaults.frequency must be a duration such as 10s, 5m, 1h or 30d'])
  })

  test.each([
    [{ frequencyy: '1m' }, 'defaults.frequencyy is not a field of checks; did you mean frequency?'],
    [{ name: 'x' }, 'defaults.name is not allowed here: each check has its own name'],
    [{ forEach: { a: [1] } }, 'defaults.forEach is not allowed here: each check has its own forEach'],
    [{ [type.type]: { idd: 'x' } }, `defaults.${type.type}.idd is not a field of checks`],
    [{ [type.type]: 5 }, `defaults.${type.type} must be a mapping of fields of ${type.type} checks`],
  ])('%j are reported as a fault', (defaults, fault) => {
    expect(faultsOf(main({ checks: [entry('a', { frequency: '1m' })] }, { defaults }))[0]).toContain(fault)
  })
})

test('a group needs an id that is unique in its account', () => {
  const group = (id?: string) => ({ ...(id && { id }), checks: [] })
  expect(faultsOf(main({ groups: [group('a'), group('a')] }))).toEqual([
    expect.stringContaining('accounts[0].groups[1] repeats the id of accounts[0].groups[0]'),
  ])
  expect(faultsOf(main({ groups: [group()] }))).toEqual([expect.stringContaining('accounts[0].groups[0].id is missing')])
  expect(faultsOf({ 'main.yaml': { groups: [], accounts: [{ id: 'acme' }] } })).toEqual([
    expect.stringContaining('groups is not a known setting here'),
  ])
})

test('a fault in a group has its path and line', () => {
  const text = `accounts:\n  - id: acme\n    groups:\n      - id: web\n        checks:\n          - ${JSON.stringify(entry('a'))}`
  expect(faultsOf({ 'main.yaml': text })).toEqual([
    'main:6: accounts[0].groups[0].checks[0].frequency is missing: it must be a duration such as 10s, 5m, 1h or 30d',
  ])
})

const odd = [null, 7, true, [], {}, [null], [[]], { a: 1 }]
test.each(odd.map((part) => [part]))('%j in place of any part is read as a config or as faults', (part) => {
  const account = (more: object) => ({ accounts: [{ id: 'acme', ...more }] })
  for (const file of [
    ...[{ accounts: part }, { accounts: [part] }, { defaults: part }, { include: part }],
    ...['checks', 'groups', 'defaults', 'include'].map((name) => account({ [name]: part })),
    ...['id', 'checks', 'defaults'].map((name) => account({ groups: [{ id: 'g', [name]: part }] })),
    ...[account({ groups: [part] }), account({ checks: [part] }), account({ checks: [entry('a', { forEach: part })] })],
  ]) {
    const parsed = parse({ 'main.yaml': { defaults: {}, accounts: [], ...file } })
    if ('faults' in parsed) expect(parsed.faults).not.toEqual([])
  }
  expect(faultsOf({ 'main.yaml': { defaults: {}, accounts: [{ id: part }] } })).toEqual([expect.stringContaining('accounts[0].id must be')])
})

describe('forEach', () => {
  const checkOf = (more: object) => main({ checks: [entry('x', { frequency: '1m', ...more })] })

  test('creates a check for each mapping in a list', () => {
    const { checks } = configOf(
      checkOf({
        name: 'Ping ${each.host}',
        id: 'ping-${each.n}',
        tags: ['${each.host}'],
        forEach: [
          { host: 'a', n: 1 },
          { host: 'b', n: 2 },
        ],
      }),
    )
    expect(checks.map(({ id, name, tags }) => [id, name, tags])).toEqual([
      ['ping-1', 'Ping a', ['a']],
      ['ping-2', 'Ping b', ['b']],
    ])
    expect(checks[0]?.written).not.toHaveProperty('forEach')
  })

  test('creates a check for each combination of lists', () => {
    const { checks } = configOf(checkOf({ name: '${each.host} ${each.port}', forEach: { host: ['a', 'b'], port: [80, 443] } }))
    expect(checks.map(({ name }) => name)).toEqual(['a 80', 'a 443', 'b 80', 'b 443'])
  })

  test('keeps the type of a value that is the whole text', () => {
    const { checks } = configOf(
      checkOf({ name: 'n${each.limit}', maxResponseTime: '${each.limit}', muted: '${each.off}', forEach: [{ limit: 500, off: true }] }),
    )
    expect(checks).toMatchObject([{ name: 'n500', maxResponseTimeMs: 500, muted: true }])
  })

  test('applies to inherited values, and $${each.x} is an escaped ${each.x}', () => {
    const account = { checks: [entry('${each.host} $${each.host}', { forEach: [{ host: 'a' }] })] }
    const { checks } = configOf(main(account, { defaults: { frequency: '1m', tags: ['of-${each.host}'] } }))
    expect(checks).toMatchObject([{ name: 'a ${each.host}', tags: ['of-a'] }])
  })

  test('may reference variables, which stay secrets', () => {
    const { checks } = configOf(checkOf({ name: '${each.n}', environment: undefined, forEach: [{ n: 'x', t: '${A_TOKEN}' }] }), {
      A_TOKEN: 'sesame-123',
    })
    expect(checks).toHaveLength(1)
  })

  test.each([
    [{ name: 'same', forEach: [{ a: 1 }, { a: 2 }] }, 'forEach creates 2 checks with the same name: put ${each.a} into that'],
    [{ name: '${each.a}', id: 'one', forEach: [{ a: 1 }, { a: 2 }] }, 'forEach creates 2 checks with the same id'],
    [{ name: '${each.b}', forEach: [{ a: 1 }] }, '${each.b} is undefined: its forEach has no b'],
    [{ name: 'no ${each.b}' }, '${each.b} is undefined'],
    [{ name: '${each.a}', forEach: [{ a: 1 }, { a: '1' }] }, 'repeats the id (or, without ids, the name)'],
    [{ name: '${each.a}', forEach: [] }, 'forEach must be a list of mappings'],
    [{ name: '${each.a}', forEach: 'a' }, 'forEach must be a list of mappings'],
    [{ name: '${each.a}', forEach: { a: [] } }, 'forEach must be a list of mappings'],
    [{ name: '${each.a}', forEach: [{ a: [1] }] }, 'forEach[0].a must be text of at most 1,000 characters'],
    [{ name: '${each.a}', forEach: { a: ['x'.repeat(1001)] } }, 'forEach.a[0] must be text of at most 1,000 characters'],
    [{ name: '${each.a}', forEach: [{ 'a-b': 1 }] }, 'a name in forEach has letters'],
  ])('%j is reported as a fault', (more, fault) => {
    expect(faultsOf(checkOf(more)).join('\n')).toContain(fault)
  })

  test('creates at most 10,000 checks, however many lists there are', () => {
    const lists = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`l${i}`, [1, 2]]))
    expect(faultsOf(checkOf({ forEach: lists }))).toEqual([expect.stringContaining('forEach must be for at most 10,000 checks')])
  })

  test('creates at most 100,000 checks in a configuration', () => {
    const many = { a: Array.from({ length: 100 }, (_, i) => i), b: Array.from({ length: 100 }, (_, i) => i) }
    const checks = Array.from({ length: 12 }, (_, i) => entry(`${i} \${each.a} \${each.b}`, { frequency: '1m', forEach: many }))
    expect(faultsOf(main({ checks })).filter((text) => text.includes('more than 100,000 checks'))).toHaveLength(1)
  })

  test('with too many checks in an included file rejects only that file', () => {
    const many = { a: Array.from({ length: 100 }, (_, i) => i), b: Array.from({ length: 100 }, (_, i) => i) }
    const bomb = { checks: Array.from({ length: 11 }, (_, i) => entry(`${i} \${each.a} \${each.b}`, { frequency: '1m', forEach: many })) }
    const files = {
      ...main({ include: ['*.d.yaml'], checks: [entry('z', { frequency: '1m' })] }),
      'a.d.yaml': bomb,
      'b.d.yaml': { checks: [entry('b', { frequency: '1m' })] },
    }
    const { checks, refused } = configOf(files)
    expect(checks.map(({ name }) => name)).toEqual(['z', 'b'])
    expect(refused).toMatchObject([{ file: 'a.d.yaml', text: expect.stringContaining('more than 100,000 checks') }])
  })

  test('cannot expand a small file into a huge one', () => {
    const tags = Array.from({ length: 5000 }, () => '${each.a}')
    const check = entry('${each.a}', {
      frequency: '1m',
      tags,
      forEach: Array.from({ length: 100 }, (_, i) => ({ a: `${i}${'x'.repeat(990)}` })),
    })
    expect(faultsOf(main({ checks: [check] })).join('\n')).toContain('exceed 256 Mi characters')
  })
})

describe('include', () => {
  const check = (name: string, more: object = {}) => entry(name, { frequency: '1m', ...more })
  const including = (pattern: string | readonly string[], more: object = {}) => main({ include: [pattern].flat(), ...more })

  test('adds the checks of files, in the order of their names, after those of the account', () => {
    const files = {
      ...including('checks.d/*.yaml', { checks: [check('z')] }),
      'checks.d/b.yaml': { checks: [check('b')] },
      'checks.d/a.yaml': { checks: [check('a')] },
      'checks.d/.c.yaml': { checks: [check('c')] },
      'checks.d/d.txt': 'no',
    }
    const { checks } = configOf(files)
    expect(checks.map(({ name, origin }) => [name, origin.file])).toEqual([
      ['z', null],
      ['a', 'checks.d/a.yaml'],
      ['b', 'checks.d/b.yaml'],
    ])
  })

  test('at the top level adds files that name their account', () => {
    const accounts = [{ id: 'acme' }, { id: 'shop' }]
    const files = {
      'main.yaml': { include: ['*.part.yaml'], accounts },
      'a.part.yaml': { account: 'shop', checks: [check('a')] },
      'b.part.yaml': { checks: [] },
      'c.part.yaml': { account: 'shopp' },
    }
    expect(configOf(files).checks).toMatchObject([{ account: 'shop', name: 'a' }])
    expect(faultsOf(files)).toEqual([
      'b.part.yaml:1: account is missing: specify the account of these checks',
      'c.part.yaml:2: account: unknown account shopp',
    ])
  })

  test('of an account rejects files of another one', () => {
    const files = { ...including('a.yaml'), 'a.yaml': { account: 'shop', checks: [check('a')] } }
    expect(faultsOf(files)).toEqual(['a.yaml:2: account: unknown account shop'])
  })

  test('supports defaults between those of the account and of its groups', () => {
    const files = {
      ...main({ include: ['a.yaml'], defaults: { tags: ['account'], locations: ['eu'] } }),
      'a.yaml': {
        defaults: { tags: ['file'] },
        checks: [check('a')],
        groups: [{ id: 'g', defaults: { tags: ['group'] }, checks: [check('b')] }],
      },
    }
    expect(configOf(files).checks.map(({ tags, locations, origin }) => [tags, locations, origin])).toEqual([
      [['file'], ['eu'], { file: 'a.yaml', group: null }],
      [['group'], ['eu'], { file: 'a.yaml', group: 'g' }],
    ])
  })

  test('reads a file that matches two patterns once, and an empty one as no checks', () => {
    const files = { ...including(['a.yaml', '*.yaml']), 'a.yaml': { checks: [check('a')] }, 'empty.yaml': '# nothing yet\n' }
    expect(
      configOf({ 'tidemark.json': files['main.yaml'], 'a.yaml': files['a.yaml'], 'empty.yaml': files['empty.yaml'] }).checks,
    ).toHaveLength(1)
  })

  test('rejects only the faulty file, with its line', () => {
    const files = {
      ...including('checks.d/*.yaml', { checks: [check('z')], alerts: [] }),
      'checks.d/a.yaml': { checks: [check('a')] },
      'checks.d/b.yaml': `checks:\n  - ${JSON.stringify(check('b'))}\n  - ${JSON.stringify(check('c', { frequency: 'often' }))}`,
      'checks.d/c.yaml': 'checks: [',
      'checks.d/d.yaml': 'accounts: []',
      'checks.d/e.yaml': 'include: [a.yaml]',
      'checks.d/f.yaml': '- a',
      'checks.d/g.yaml': `checks: [${JSON.stringify(check('g', { tags: ['${NO_SUCH}'] }))}]`,
    }
    expect(configOf(files).checks.map(({ name }) => name)).toEqual(['z', 'a'])
    expect(faultsOf(files)).toEqual([
      'checks.d/b.yaml:3: checks[1].frequency must be a duration such as 10s, 5m, 1h or 30d',
      expect.stringMatching(/^checks.d\/c.yaml:1: invalid YAML: /),
      expect.stringMatching(/^checks.d\/d.yaml:1: accounts is not a known setting here/),
      'checks.d/e.yaml:1: include is not allowed here: only the main config file can include others',
      'checks.d/f.yaml:1: the file must be a mapping with checks, groups or defaults',
      'checks.d/g.yaml:1: ${NO_SUCH} is not set in the environment',
    ])
  })

  test('rejects the second file if a check is in two of them', () => {
    const files = {
      ...including('*.d.yaml', { checks: [check('a')] }),
      'x.d.yaml': { checks: [check('b')] },
      'y.d.yaml': { checks: [check('b'), check('c')] },
      'z.d.yaml': { checks: [check('a')] },
    }
    expect(configOf(files).checks.map(({ name }) => name)).toEqual(['a', 'b'])
    expect(faultsOf(files)).toEqual([
      expect.stringContaining('y.d.yaml:3: checks[0] repeats the id (or, without ids, the name) of x.d.yaml: checks[0]'),
      expect.stringContaining('z.d.yaml:3: checks[0] repeats the id (or, without ids, the name) of the config file: accounts[0].checks[0]'),
    ])
  })

  test('allows references to checks of a rejected file', () => {
    const serviceOf = (file: unknown) => ({
      ...including('*.d.yaml', {
        checks: [check('a', { dependsOn: ['b'] })],
        maintenance: [{ name: 'm', from: '2026-01-01', to: '2026-01-02', checks: ['b'] }],
      }),
      'x.d.yaml': file,
    })
    expect(configOf(serviceOf({ checks: [check('b', { id: 'b', frequency: 'often' })] })).checks).toHaveLength(1)
    expect(configOf(serviceOf('{')).checks).toHaveLength(1)
    expect(faultsOf(serviceOf({ checks: [] })).join('\n')).toContain('there is no check with the id b')
  })

  test.each([
    ['no-such.yaml', 'does not exist'],
    ['no-such/*.yaml', 'the folder no-such does not exist'],
    ['../x.yaml', 'is not below the folder of this file'],
    ['*/x.yaml', 'may have * only in the name of the file'],
    ['/etc/passwd', 'is not below the folder of this file'],
  ])('reports %s as a fault of the config file', (pattern, fault) => {
    expect(faultsOf(including(pattern))).toEqual([
      expect.stringMatching(new RegExp(`^main:\\d+: accounts\\[0\\]\\.include\\[0\\].*${fault.replaceAll('*', '\\*')}`)),
    ])
  })

  test('does not follow a link out of the folder', () => {
    const outside = join(temporaryFolder(), 'x.yaml')
    writeFileSync(outside, JSON.stringify({ checks: [check('x')] }))
    const folder = temporaryFolder()
    symlinkSync(outside, join(folder, 'x.yaml'))
    const parsed = parseConfig(textOf(including('*.yaml')['main.yaml']), {}, { folder: openConfigFolder(folder) })
    expect(parsed).toMatchObject({
      config: { checks: [], refused: [{ file: 'x.yaml', line: 1, text: expect.stringContaining('because it links to') }] },
    })
  })
})

test('the definition of a check has all resulting values, and is a valid item of checks', () => {
  const check = entry('${each.a}', { tags: null, forEach: { a: ['x', 'y'] } })
  const group = { id: 'g', defaults: { frequency: '1m', retry: { strategy: 'single' }, tags: ['t'] }, checks: [check] }
  const shown = configOf(main({ groups: [group] })).checks.map(shownDefinition)
  expect(shown).toMatchObject([{ name: 'x', frequency: '1m', retry: { strategy: 'single' } }, { name: 'y' }])
  expect(shown[0]).not.toHaveProperty('tags')
  expect(configOf(main({ checks: shown })).checks.map(({ fingerprint }) => fingerprint)).toEqual(
    configOf(main({ groups: [group] })).checks.map(({ fingerprint }) => fingerprint),
  )
})

test('alerts of a check, or of its group, name the rules that apply to it', () => {
  const account = (alerts: readonly string[]) => ({
    channels: [{ id: 'ops', type: 'webhook', url: 'https://example.com/hook' }],
    alerts: [
      { id: 'day', to: ['ops'] },
      { id: 'night', to: ['ops'] },
    ],
    groups: [{ id: 'g', defaults: { frequency: '1m', alerts }, checks: [entry('a'), entry('b', { alerts: [] })] }],
  })
  expect(configOf(main(account(['night']))).checks.map(({ alerts }) => alerts)).toEqual([['night'], []])
  expect(faultsOf(main(account(['nihgt'])))).toEqual([
    expect.stringContaining('.defaults.alerts[0]: there is no alert rule with the id nihgt; did you mean night?'),
  ])
})
