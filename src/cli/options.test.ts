import type { Option } from 'commander'
import { describe, expect, test } from 'vitest'
import { readSettings } from '../config.ts'
import type { Context } from './context.ts'
import { basePathOption, collectNames, hostOption, parseList, portOption, timeParser, timezoneOption } from './options.ts'
import { accountOption, keyOption } from './remote/remote.ts'

const now = Date.parse('2026-11-14T10:00:00Z')
const contextOf = (env: Readonly<Record<string, string>>) => ({ settings: readSettings(env), env, now: () => now }) as unknown as Context
const context = contextOf({})
const parsed = ({ parseArg }: Option, text: string): unknown => parseArg?.(text, undefined)

describe('a list', () => {
  test('is separated by commas, without blanks and empty parts', () => {
    expect(parseList(' web, api ,,shop ')).toEqual(['web', 'api', 'shop'])
    expect(parseList('')).toEqual([])
    expect(parseList(' , ')).toEqual([])
  })
  test('that is given repeatedly is merged without duplicates', () => {
    expect(collectNames('web,api', ['shop', 'web'])).toEqual(['shop', 'web', 'api'])
  })
})

describe('a time', () => {
  const time = timeParser(context)
  test.each([
    ['-30s', now - 30_000],
    ['-90m', now - 5_400_000],
    ['-24h', now - 86_400_000],
    ['-7d', now - 604_800_000],
    ['-999999d', now - 999_999 * 86_400_000],
    ['2026-11-14T10:00:00Z', now],
    [String(now / 1000), now],
    ['2026-11-14', { date: '2026-11-14' }],
  ])('may be %s', (text, edge) => {
    expect(time(text)).toEqual(edge)
  })
  test.each(['-0h', '-1w', '-1', '-1000000d', '--1h', '-1h ', ' -1h', '1h', 'yesterday', ''])('cannot be %j', (text) => {
    expect(() => time(text)).toThrow(
      'It must be a time such as 2026-11-14T10:00:00Z, 2026-11-14, unix seconds, or -90m, -24h or -7d, counted back from now.',
    )
  })
})

test('a time zone is found by name, or the nearest are suggested', () => {
  expect(parsed(timezoneOption(), 'Europe/Berlin')).toMatchObject({ name: 'Europe/Berlin' })
  expect(() => parsed(timezoneOption(), 'Europe/Berln')).toThrow(/^Unknown time zone\. Nearest: Europe\/Berlin\b.*\.$/)
})

test('a port is from 0 to 65535', () => {
  expect(parsed(portOption(context), '0')).toBe(0)
  expect(parsed(portOption(context), '65535')).toBe(65_535)
  for (const text of ['65536', '-1', 'http', ''])
    expect(() => parsed(portOption(context), text)).toThrow('It must be a port from 0 to 65535.')
})

test('a base path begins with a slash', () => {
  expect(parsed(basePathOption(context), '/tidemark')).toBe('/tidemark')
  expect(() => parsed(basePathOption(context), 'tidemark')).toThrow('It must be a path such as /tidemark.')
})

test('defaults come from the environment, and do not show secrets', () => {
  const own = contextOf({
    ...{ TIDEMARK_PORT: '9000', TIDEMARK_HOST: '0.0.0.0', TIDEMARK_BASE_PATH: '/watch' },
    ...{ TIDEMARK_KEY: 'tdm_secret', TIDEMARK_ACCOUNT: 'acme' },
  })
  const defaults = (given: Context) =>
    [portOption(given), hostOption(given), basePathOption(given), keyOption(given), accountOption(given)].map(
      ({ defaultValue, defaultValueDescription }) => [defaultValue, defaultValueDescription],
    )
  expect(defaults(own)).toEqual([
    [9000, undefined],
    ['0.0.0.0', undefined],
    ['/watch', '/watch'],
    ['tdm_secret', 'from the environment'],
    ['acme', 'from the environment'],
  ])
  expect(defaults(context).slice(2)).toEqual([
    ['', 'none'],
    [undefined, undefined],
    [undefined, undefined],
  ])
})
