// biome-ignore-all lint/suspicious/noTemplateCurlyInString: config files have them
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { anyRunType, exampleCheck } from '../../../test/support/example-config.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { targetOf } from '../catalogue.ts'
import { definitionYaml, shownDefinition } from '../written-definition.ts'
import { openConfigFolder } from './config-folder.ts'
import { interpolate, interpolateText } from './interpolate.ts'
import { parseConfig } from './parse.ts'

const textOf = (template: string, env = {}) => interpolateText(template, { env, fileText: (path) => `<${path}>` })

test.each([
  ['${A:-b}', {}, 'b'],
  ['${A:-b}', { A: '' }, 'b'],
  ['${A:-b}', { A: 'c' }, 'c'],
  ['${A:-}', {}, ''],
  ['${A:-a:-b} $${A:-b}', {}, 'a:-b ${A:-b}'],
  ['x${A}y${B:-z}', { A: '1' }, 'x1yz'],
  ['${file:secrets/token}', {}, '<secrets/token>'],
  ['$${file:secrets/token}', {}, '${file:secrets/token}'],
  ['${A-b} ${file:} ${{A}}', { A: 'c' }, '${A-b} ${file:} ${{A}}'],
])('%s with %j is %s', (template, env, text) => {
  expect(textOf(template, env)).toMatchObject({ text, faults: [] })
})

test('the total length of inserted values is limited', () => {
  const variables = { env: { A: 'x'.repeat(40) }, fileText: () => '', maxCharacters: 100 }
  expect(interpolate({ a: '${A}', b: ['${A}'] }, variables, []).missing).toEqual([])
  const { value, missing } = interpolate({ a: '${A}', b: ['${A}'], c: '${A}'.repeat(10_000) }, variables, [])
  expect(missing).toEqual([{ path: ['c'], text: expect.stringContaining('more than 100 characters') }])
  expect(JSON.stringify(value).length).toBeLessThan(150)
})

test.each(['constructor', 'toString', '__proto__'])('${%s} is a variable like any other', (name) => {
  expect(textOf(`\${${name}}`).faults).toEqual([expect.stringContaining('is not set')])
  expect(textOf(`\${${name}:-b}`)).toMatchObject({ text: 'b', faults: [] })
})

test('a default written in the file is no secret, unless its name says so', () => {
  const secretsIn = (template: string, env = {}) => textOf(template, env).substitutions.map(({ value }) => value)
  expect(secretsIn('in ${REGION:-eu}')).toEqual([])
  expect(secretsIn('in ${REGION:-eu}', { REGION: 'us-17' })).toEqual(['us-17'])
  expect(secretsIn('${API_TOKEN:-sesame}')).toEqual(['sesame'])
})

test('a variable without a default must be set', () => {
  expect(textOf('${A} ${B:-b}')).toMatchObject({ text: ' b', faults: ['${A} is not set in the environment'] })
})

describe('${file:path}', () => {
  const type = anyRunType()
  const secret = 'Open-Sesame/12345'

  function parse(value: string, more: object = {}) {
    const folder = temporaryFolder()
    mkdirSync(join(folder, 'secrets'))
    writeFileSync(join(folder, 'secrets/url'), `${secret}\n`)
    const settings = JSON.parse(JSON.stringify(exampleCheck(type)).replace('http://127.0.0.1:8790', `http://127.0.0.1:8790/${value}`))
    return parseConfig(
      JSON.stringify({ ...more, accounts: [{ id: 'acme', checks: [settings] }] }),
      {},
      { folder: openConfigFolder(folder) },
    )
  }

  test('is replaced with the text of the file, which is a secret everywhere', () => {
    const parsed = parse('${file:secrets/url}')
    if ('faults' in parsed) throw new Error(JSON.stringify(parsed.faults))
    const [check] = parsed.config.checks
    if (!check) throw new Error('there is a check')
    expect(JSON.stringify(check.settings)).toContain(secret)
    expect(check.secrets).toContain(secret)
    expect(JSON.stringify(targetOf(check))).not.toContain('Sesame')
    expect(definitionYaml(shownDefinition(check))).toContain('${file:secrets/url}')
    expect(definitionYaml(shownDefinition(check))).not.toContain('Sesame')
  })

  test('that cannot be read is a fault with its line and a hint', () => {
    expect(parse('${file:secrets/none}')).toMatchObject({
      faults: [{ line: 1, text: expect.stringContaining('does not exist') }],
    })
    expect(parse('${file:/etc/passwd}')).toMatchObject({
      faults: [{ text: expect.stringContaining('secretFolders in the config file adds others') }],
    })
  })

  test('does not appear in faults', () => {
    const parsed = parse('${file:secrets/url}', { publicUrl: '${file:secrets/url}', evidence: '${file:secrets/url}' })
    expect(JSON.stringify(parsed)).not.toContain('Sesame')
  })
})

test('the default of a variable is shown, unless it is a secret', () => {
  const type = anyRunType()
  const definitionWith = (text: string) => {
    const parsed = parseConfig(
      JSON.stringify({ accounts: [{ id: 'acme', checks: [{ ...exampleCheck(type), tags: [], id: 'a', name: text }] }] }),
      {},
    )
    if ('faults' in parsed) throw new Error(JSON.stringify(parsed.faults))
    return parsed.config.checks.map((check) => shownDefinition(check).name)
  }
  expect(definitionWith('Shop ${PLACE:-north}')).toEqual(['Shop ${PLACE:-north}'])
  expect(definitionWith('Shop ${SHOP_TOKEN:-sesame}')).toEqual(['Shop ${SHOP_TOKEN}'])
})
