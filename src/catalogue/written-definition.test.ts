import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { checkTypes } from '../checks/registry.ts'
import { sha256 } from '../ids/sha256.ts'
import { buildCatalogue } from './build.ts'
import type { Check } from './catalogue.ts'
import { parseConfig } from './config-file/parse.ts'
import { definitionYaml, shownDefinition, tokenName } from './written-definition.ts'

const env = { SHOP_TOKEN: 'a-secret-of-4711-letters', HOST: 'shop.example', PING_TOKEN: 'ping-word-of-4711-letters' }

function configured(checks: string): readonly Check[] {
  const parsed = parseConfig(`accounts:\n  - id: acme\n    checks:\n${checks}`, env)
  if ('faults' in parsed) throw new Error(JSON.stringify(parsed.faults))
  return buildCatalogue(parsed.config, []).allChecks()
}

const lines = (...all: string[]) => `${all.map((line) => `      ${line}`).join('\n')}\n`
const [apiType = '', pingType = ''] = [
  checkTypes.find(({ secrets, fields }) => secrets !== undefined && fields.length > 0)?.type,
  checkTypes.find(({ pingSettings }) => pingSettings !== undefined)?.type,
]

test('variables are shown by name, in the format of the config file', () => {
  const entry = lines(
    '- name: Shop',
    `  type: ${apiType}`,
    '  frequency: 60s',
    '  request:',
    '    url: https://$' + '{HOST}/health',
    '    headers: { x-key: "Bearer $' + '{SHOP_TOKEN}" }',
  )
  const [check] = configured(entry)
  const yaml = definitionYaml(shownDefinition(check as Check))
  expect(parse(yaml)).toEqual(parse(entry))
  expect(yaml).not.toContain(env.SHOP_TOKEN)
})

test('secrets written in the file are shown as variables, whatever their length', () => {
  const [check] = configured(
    lines(
      '- name: Shop',
      `  type: ${apiType}`,
      '  frequency: 1m',
      '  request:',
      '    url: https://me:pw1@shop.example/health',
      '    headers: { x-api-key: abc, accept: text/html }',
      '    basicAuth: { username: someone, password: not-for-you }',
    ),
  )
  const { request } = shownDefinition(check as Check) as { request: Record<string, unknown> }
  expect(request).toEqual({
    url: 'https://$' + '{URL}@shop.example/health',
    headers: { 'x-api-key': '$' + '{X_API_KEY}', accept: 'text/html' },
    basicAuth: { username: expect.any(String), password: '$' + '{PASSWORD}' },
  })
})

test.each([
  ['a variable', '$' + '{PING_TOKEN}', '$' + '{PING_TOKEN}'],
  ['written out', 'a-token-of-the-tests', '$' + '{TOKEN}'],
  ['a hash', sha256('a-token-of-the-tests'), '$' + '{TOKEN}'],
])('a ping token that is %s is shown as a variable', (_, token, name) => {
  const [check] = configured(lines('- name: Job', `  type: ${pingType}`, `  heartbeat: { period: 1h, token: "${token}" }`))
  expect(tokenName(check as Check)).toBe(name)
  const yaml = definitionYaml(shownDefinition(check as Check))
  expect(yaml).toContain(name)
  expect(yaml).not.toContain('a-token-of-the-tests')
  expect(yaml).not.toContain('sha256:')
})
