import { describe, expect, test } from 'vitest'
import { redactor } from '../checks/probe/redact.ts'
import { readSource } from './config-file/source.ts'
import { type Substitution, secretTexts } from './secrets.ts'

const part = (value: string, name = 'SOME'): Substitution => ({ name, value, as: 'part' })
const whole = (value: string, name = 'SOME'): Substitution => ({ name, value, as: 'whole' })

/** Redacts the values of variables in a text. */
const shown = (text: string, inSettings: readonly Substitution[], inLabels: readonly Substitution[] = []) =>
  redactor(secretTexts(inSettings, inLabels))(text)

describe('the value of a variable', () => {
  test('is redacted in every encoding', () => {
    const secret = 'Tell/No "one" & <me>'
    const spelled = [
      secret,
      encodeURIComponent(secret),
      encodeURIComponent(secret).toLowerCase().replaceAll('tell', 'Tell').replaceAll('no', 'No'),
      String(new URLSearchParams({ secret })).slice('secret='.length),
      new URL(`http://localhost/${secret}`).pathname.slice(1),
      JSON.stringify(secret).slice(1, -1),
      btoa(secret),
    ]
    for (const text of spelled) expect(shown(`<${text}>`, [part(secret)])).toBe('<•••>')
  })

  test.each(['', '1', 'abc', '8443', 'true', 'https://shop.example', 'http://api:8080/'])('%j is not redacted', (value) => {
    expect(shown(`it is ${value}, 18443`, [part(value)])).toBe(`it is ${value}, 18443`)
  })

  test.each(['shop.example', 'shop.example:8443', 'localhost:80', '10.9.0.1', '[::1]:80', 'fd00::1'])(
    '%s is not redacted if it is the whole text',
    (value) => {
      expect(shown(value, [whole(value)])).toBe(value)
      expect(shown(value, [part(value)])).toBe('•••')
    },
  )

  test.each(['SG.ngeVfQFYQlKU0ufo8x5d1A.TwL2iGABf9DHoTf', 'eyJhbGciOi.eyJzdWIiOi.dozjgNryP4J3', 'postgres'])('%s is redacted', (value) => {
    expect(shown(value, [whole(value)])).toBe('•••')
  })

  test.each(['SHOP_TOKEN', 'ApiKey', 'DB_PASSWORD', 'CLIENT_SECRET'])('of %s is redacted, whatever it looks like', (name) => {
    for (const value of ['shop.example', 'https://shop.example', '12345']) expect(shown(`${value}/x`, [whole(value, name)])).toBe('•••/x')
  })

  test('of a secret is also redacted in a host name, in lower case', () => {
    const host: Substitution = { name: 'TENANT_KEY', value: 'Ab12Cd34', as: 'host' }
    expect(shown(new URL('https://Ab12Cd34.shop.example/').href, [host])).toBe('https://•••.shop.example/')
    expect(shown('Ab12Cd34', [host])).toBe('•••')
  })

  test('that is a URL is redacted except for its origin', () => {
    const address = 'https://me:hunter-two@hooks.example/services/T0815/xoxb-4711'
    expect(shown(`${address}/health`, [whole(address)])).toBe('https://•••@hooks.example/•••/health')
    expect(shown('no xoxb-4711 for hunter-two', [whole(address)])).toBe('no ••• for •••')
  })

  test('of several lines is also redacted line by line', () =>
    expect(shown('got: second-line', [whole('first-line\nsecond-line')])).toBe('got: •••'))

  test('in the name of its check is not redacted, unless the name of the variable marks it as secret', () => {
    const [stage, token] = [part('staging', 'STAGE'), part('4711-4712', 'SHOP_TOKEN')]
    expect(shown('shop staging', [stage], [stage])).toBe('shop staging')
    expect(shown('shop staging 4711-4712', [stage, token], [token])).toBe('shop ••• •••')
  })
})

describe('a variable is recognized', () => {
  const variable = `$\{V}`
  const standing = (text: string, setting = 'url') =>
    readSource(JSON.stringify({ [setting]: text }), { V: 'value' }).substitutions([setting])[0]?.as

  test.each([
    `https://${variable}`,
    `https://${variable}/health`,
    `http://shop.${variable}:80/`,
    `http://localhost:${variable}/`,
    `http://me:pw@${variable}/`,
  ])('as the host in %s', (text) => expect(standing(text)).toBe('host'))
  test.each([
    `https://me:${variable}@shop.example/`,
    `https://${variable}@shop.example`,
    `https://shop.example/${variable}`,
    `https://shop.example?q=${variable}`,
  ])('as a part of %s', (text) => expect(standing(text)).toBe('part'))
  test('as the whole text, or as the host if the setting is a host', () => {
    expect(standing(variable)).toBe('whole')
    expect(standing(variable, 'hostname')).toBe('host')
  })

  test('through an alias, too', () => {
    const { substitutions } = readSource(`a: &a { b: ["${variable}"] }\nc: { d: *a }`, { V: 'value' })
    expect(substitutions(['c', 'd'])).toEqual([{ name: 'V', value: 'value', as: 'whole' }])
    expect(substitutions(['c', 'x'])).toEqual([])
  })
})
