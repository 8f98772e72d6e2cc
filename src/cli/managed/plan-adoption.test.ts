// biome-ignore-all lint/suspicious/noTemplateCurlyInString: config files have them
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { anyRunType, exampleCheck } from '../../../test/support/example-config.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { openConfigFolder } from '../../catalogue/config-file/config-folder.ts'
import { planAdoption } from './plan-adoption.ts'

const { id: _, name: __, tags: ___, ...settings } = exampleCheck(anyRunType())
/** The settings of a check on one line. */
const rest = JSON.stringify(settings).slice(1, -1)

function plan(main: string, ids: readonly string[] | null, others: Readonly<Record<string, string>> = {}) {
  const folder = temporaryFolder()
  for (const [name, text] of Object.entries(others)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  const openFolder = () => openConfigFolder(folder)
  return planAdoption({ name: 'tidemark.yaml', text: main, env: { HOST: 'a' }, openFolder, account: 'acme', ids })
}

const textsOf = ({ edits }: ReturnType<typeof plan>) => Object.fromEntries(edits.map(({ file, after }) => [file ?? 'main', after]))

test('checks of the account, its groups and included files are removed from their files, and all comments are kept', () => {
  const main = `# top
accounts:
  - id: acme # ours
    include: [checks.d/*.yaml]
    checks:
      # about a
      - id: a
        name: A # of a
        tags: [x]
        <<REST>>
      # about b
      - { id: b, name: B, ${rest} }
    # groups
    groups:
      - id: web
        defaults: { tags: [web], timeout: 5s }
        checks: # those of web
          - { id: c, name: C, ${rest} }
          # end of web
`.replace(
    '<<REST>>',
    Object.entries(settings)
      .map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
      .join('\n        '),
  )
  const included = `# shop
defaults: { locations: [eu] }
checks:
  - { id: d, name: D, ${rest} }
  # about e
  - { id: e, name: E, ${rest} }
`
  const planned = plan(main, ['a', 'c', 'd'], { 'checks.d/shop.yaml': included })
  const cut = main.slice(main.indexOf('      - id: a'), main.indexOf('      # about b'))
  expect(textsOf(planned)).toEqual({
    main: main
      .replace(cut, '')
      .replace('checks: # those', 'checks: [] # those')
      .replace(/ {10}- \{ id: c.*\n/, ''),
    'checks.d/shop.yaml': included.replace(/ {2}- \{ id: d.*\n/, ''),
  })
  expect(planned.checks.map(({ id, written }) => [id, written.tags, written.timeout, written.locations])).toEqual([
    ['a', ['x'], undefined, undefined],
    ['c', ['web'], '5s', undefined],
    ['d', undefined, undefined, ['eu']],
  ])
})

test('all checks of a forEach are adopted together, and those that were not selected are listed', () => {
  const main = `accounts:
  - id: acme
    checks:
      - { id: "on-\${each.host}", name: "\${each.host}", forEach: [{ host: x }, { host: y }], ${rest} }
      - { id: "by-\${HOST}", name: Z, ${rest} }
`
  const planned = plan(main, ['on-y'])
  expect(planned.checks.map(({ id, written }) => [id, written.name])).toEqual([
    ['on-x', 'x'],
    ['on-y', 'y'],
  ])
  expect(planned.along).toEqual(['on-x'])
  expect(textsOf(planned).main).toBe(main.replace(/ {6}- \{ id: "on-.*\n/, ''))
  expect(plan(main, ['by-a']).checks.map(({ id }) => id)).toEqual(['by-a'])
  expect(plan(main, ['by-a', 'nowhere']).missing).toEqual(['nowhere'])
  expect(plan(main, null)).toMatchObject({ along: [], edits: [{ after: expect.stringContaining('checks: []') }] })
})

test('files are changed in an order in which every step is valid: dependents first', () => {
  const others = {
    'a.yaml': `checks: [{ id: a, name: A, ${rest} }]\n`,
    'b.yaml': `checks: [{ id: b, name: B, dependsOn: [c], ${rest} }]\n`,
  }
  const main = `accounts: [{ id: acme, include: [a.yaml, b.yaml], checks: [{ id: c, name: C, dependsOn: [a], ${rest} }] }]\n`
  expect(plan(main, null, others).edits.map(({ file }) => file)).toEqual(['b.yaml', null, 'a.yaml'])
  const both = { ...others, 'a.yaml': `checks: [{ id: a, name: A, ${rest} }, { id: d, name: D, dependsOn: [b], ${rest} }]\n` }
  expect(() => plan(main, null, both)).toThrow('depend on each other')
})

describe('is rejected if', () => {
  test.each([
    ['another check depends on it', `checks: [{ id: b, name: B, ${rest} }, { id: a, name: A, dependsOn: [b], ${rest} }]`, 'Without these'],
    [
      'an alias refers to it',
      `checks:\n      - &b { id: b, name: B, ${rest} }\n      - { <<: *b, id: a, name: A }`,
      'referenced by aliases',
    ],
    ['it is part of an alias', 'checks: *shared', 'referenced by aliases'],
  ])('%s', (_title, account, message) => {
    const main = `x-shared: &shared\n  - { id: b, name: B, ${rest} }\naccounts:\n  - id: acme\n    ${account}\n`
    expect(() => plan(main, ['b'])).toThrow(message)
  })

  test('several accounts include its file', () => {
    const main = 'accounts:\n  - { id: acme, include: [shop.yaml] }\n  - { id: other, include: [shop.yaml] }\n'
    expect(() => plan(main, ['b'], { 'shop.yaml': `checks: [{ id: b, name: B, ${rest} }]\n` })).toThrow('several accounts')
  })
})
