// @slow
import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { interpolateText } from '../../catalogue/config-file/interpolate.ts'
import { durationMs } from '../../checks/duration.ts'
import { configDuration, frequencyOf, parseDuration } from './durations.ts'
import { addressText, environmentLine, literalText, printable, slugOf } from './written-text.ts'

const dollar = '$'
const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc
    .array(fc.constantFrom(dollar, '{', '}', 'NAME', 'file:', ':-', 'a', '/', '@', ':', '?', '=', '&', 'token', '#'))
    .map((parts) => parts.join('')),
)
const variables = { env: {}, fileText: () => '' }

test('arbitrary text is written so that the config file reads it literally', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      expect(interpolateText(literalText(text), variables)).toMatchObject({ text, faults: [] })
    }),
  )
  expect(literalText(`${dollar}{each.a}`)).toBe(`${dollar}${dollar}{each.a}`)
})

test('an arbitrary URL is written so that the config file reads it literally, with its hidden values', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const env: Record<string, string> = {}
      const hide = (_: string, value: string) => {
        const name = `V${Object.keys(env).length}`
        env[name] = value
        return `${dollar}{${name}}`
      }
      expect(interpolateText(addressText(`https://${text}`, hide), { ...variables, env }).text).toBe(`https://${text}`)
    }),
  )
})

test.each([
  ['https://ann:hunter2@example.com/a', 'https://ann:•••@example.com/a'],
  ['https://example.com/?api_key=abc&b=1#token=x', 'https://example.com/?api_key=•••&b=1#token=x'],
  ['https://example.com/@a:b', 'https://example.com/@a:b'],
])('credentials in %s are redacted', (url, shown) => {
  expect(addressText(url, () => '•••')).toBe(shown)
})

test('a shell reads a line of the env file as the original value', () => {
  const values = ['plain', "it's", '"quoted" $HOME `id` \\ back', 'two\nlines', "' $(id) '", '']
  for (const value of values) {
    const script = `${environmentLine('NAME', value)}printf %s "$NAME"`
    expect(execFileSync('sh', ['-c', script], { encoding: 'utf8' })).toBe(value)
  }
})

test.each([
  ['1m30s', 90_000, '90s'],
  ['1.5h', 5_400_000, '90m'],
  ['500ms', 500, '500ms'],
  ['2w', 1_209_600_000, '14d'],
  ['48h', 172_800_000, '2d'],
])('%s is a duration', (text, ms, written) => {
  expect(parseDuration(text)).toBe(ms)
  expect(configDuration(ms)).toBe(written)
  expect(durationMs(written)).toBe(ms)
})

test.each(['', 'soon', '5', '1m 30s', '-1s', '1m!'])('%j is not a duration', (text) => {
  expect(parseDuration(text)).toBeNull()
})

test('frequencies are limited to the range of the config file', () => {
  expect(frequencyOf(3000)).toEqual({ frequency: '10s', why: 'It was every 3s; the shortest is 10s.' })
  expect(frequencyOf(40 * 86_400_000)).toEqual({ frequency: '30d', why: 'It was every 40d; the longest is 30d.' })
  expect(frequencyOf(60_000)).toEqual({ frequency: '1m', why: null })
})

test('slugs and printable texts', () => {
  expect(slugOf('Übersicht: Größe & Co.')).toBe('ubersicht-gro-e-co')
  expect(printable('a\u0000b\ud800c\u009f\td')).toBe('ab\ufffdc\td')
})
