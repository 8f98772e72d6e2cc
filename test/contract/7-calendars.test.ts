import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkTypes } from '../../src/checks/registry.ts'
import { hourMs, minuteMs } from '../../src/time.ts'
import { openTestApp, type TestApp } from '../support/app.ts'
import { credentials, testCatalogue, testCheck } from '../support/catalogue.ts'
import { testResult } from '../support/results.ts'

const now = Date.parse('2026-10-28T10:00:00.000Z')
const checks = checkTypes.map((checkType) => testCheck(checkType))
/** Every half hour for 40 days, except one day without results. */
const quiet = { from: Date.parse('2026-10-20T22:00:00Z'), to: Date.parse('2026-10-21T22:00:00Z') }
const times = Array.from({ length: 40 * 48 }, (_, i) => now - i * 30 * minuteMs).filter((time) => time < quiet.from || time >= quiet.to)

let api: TestApp
beforeAll(async () => {
  const results = checks.flatMap((check) => times.map((time) => testResult(check, time)))
  api = await openTestApp({ catalogue: testCatalogue({ checks }), results, now })
})
afterAll(() => api.close())

type Row = { readonly period: string; readonly total: number; readonly availability: number | null }
const countIn = (from: string, to: string) => times.filter((time) => time >= Date.parse(from) && time < Date.parse(to)).length

describe.each(checkTypes.map((checkType) => [checkType.type, checkType] as const))('%s', (_, checkType) => {
  const ask = (query: string) => api.get(`/v1/analytics/${checkType.path}/check-${checkType.path}?metrics=availability&${query}`)
  const rows = async (query: string): Promise<readonly Row[]> => (await ask(query)).body.series[0].data

  test('calendar presets and dates follow the zone; from and to stay in UTC, and the zone comes after them', async () => {
    const { body } = await ask('quickRange=lastMonth&timezone=Europe/Berlin')
    expect(body).toMatchObject({ from: '2026-08-31T22:00:00.000Z', to: '2026-09-30T21:59:59.999Z', timezone: 'Europe/Berlin' })
    expect(Object.keys(body).slice(6, 9)).toEqual(['from', 'to', 'timezone'])
    const dates = await ask('from=2026-10-25&to=2026-10-25&timezone=Europe/Berlin')
    expect(dates.body).toMatchObject({ from: '2026-10-24T22:00:00.000Z', to: '2026-10-25T22:59:59.999Z' })
    expect(dates.body.series[0].data[0].total).toBe(50)
    expect((await ask('quickRange=lastMonth')).body).not.toHaveProperty('timezone')
  })

  test('days have 23 or 25 hours when the zone changes its offset, and periods are in local time', async () => {
    const days = await rows('from=2026-10-24&to=2026-10-26&timezone=Europe/Berlin&aggregationInterval=day')
    expect(days.map(({ period, total }) => [period, total])).toEqual([
      ['2026-10-24T00:00:00.000+02:00', 48],
      ['2026-10-25T00:00:00.000+02:00', 50],
      ['2026-10-26T00:00:00.000+01:00', 48],
    ])
    expect(await rows('from=2026-10-24&to=2026-10-26&timezone=Europe/Berlin&aggregationInterval=1440')).toEqual(days)
  })

  test('weeks start on Monday and months on the first, also in UTC', async () => {
    const weeks = await rows('from=2026-10-14&to=2026-10-27&aggregationInterval=week')
    expect(weeks.map(({ period }) => period)).toEqual(['2026-10-12T00:00:00.000Z', '2026-10-19T00:00:00.000Z', '2026-10-26T00:00:00.000Z'])
    const months = await rows('from=2026-09-25&to=2026-10-10&aggregationInterval=month&timezone=America/New_York')
    expect(months.map(({ period }) => period)).toEqual(['2026-09-01T00:00:00.000-04:00', '2026-10-01T00:00:00.000-04:00'])
    expect(months[0]?.total).toBe(countIn('2026-09-25T04:00:00Z', '2026-10-01T04:00:00Z'))
  })

  test('buckets whose minutes divide a day are aligned to local midnight, and the last one ends with the day', async () => {
    const parts = await rows('from=2026-10-25&to=2026-10-25&timezone=Europe/Berlin&aggregationInterval=480')
    expect(parts.map(({ period, total }) => [period, total])).toEqual([
      ['2026-10-25T00:00:00.000+02:00', 16],
      ['2026-10-25T07:00:00.000+01:00', 16],
      ['2026-10-25T15:00:00.000+01:00', 16],
      ['2026-10-25T23:00:00.000+01:00', 2],
    ])
    const nepal = await rows(`from=${now - hourMs}&timezone=Asia/Kathmandu&aggregationInterval=60`)
    expect(nepal[0]?.period).toBe('2026-10-28T14:00:00.000+05:45')
  })

  test.each(['utc', 'Etc/UTC', 'Zulu'])('%s is UTC: periods end in Z, and buckets are the same as without a zone', async (zone) => {
    const asked = 'from=2026-10-19&to=2026-10-28&aggregationInterval=2880'
    expect(await rows(`${asked}&timezone=${zone}`)).toEqual(await rows(asked))
    expect((await ask(`${asked}&timezone=${zone}`)).body.timezone).toBe('UTC')
  })

  test('fill=null lists empty buckets too, which limit and page count', async () => {
    const asked = 'from=2026-10-19&to=2026-10-23&timezone=Europe/Berlin&aggregationInterval=day'
    expect(await rows(asked)).toHaveLength(4)
    const filled = await rows(`${asked}&fill=null`)
    expect(filled).toHaveLength(5)
    expect(filled[2]).toEqual({ period: '2026-10-21T00:00:00.000+02:00', total: 0, success: 0, availability: null })
    expect(await rows(`${asked}&fill=null&limit=2&page=2`)).toEqual(filled.slice(2, 4))
    expect(await rows(`${asked}&fill=null&limit=2&page=9`)).toEqual([])
  })

  test('fill=null lists buckets from that of from to that of now', async () => {
    const hours = await rows('from=2026-10-28T06:30:00Z&to=2026-10-29&aggregationInterval=60&fill=null&limit=100')
    expect(hours.map(({ period }) => period.slice(11, 16))).toEqual(['06:00', '07:00', '08:00', '09:00', '10:00'])
  })

  test.each([
    ['timezone=Europe/Berln', 'UNKNOWN_TIMEZONE', 'Europe/Berlin'],
    ['timezone=Berlin', 'UNKNOWN_TIMEZONE', 'Europe/Berlin'],
    ['timezone=', 'UNKNOWN_TIMEZONE', 'UTC'],
    ['timezone=%2B02:00', 'UNKNOWN_TIMEZONE', 'time zone'],
    ['timezone=UTC&timezone=UTC', 'REPEATED_PARAMETER', 'timezone'],
    ['aggregationInterval=7&timezone=Europe/Berlin', 'INVALID_PARAMETER', '1440'],
    ['aggregationInterval=2880&timezone=Europe/Berlin', 'INVALID_PARAMETER', '1440'],
    ['aggregationInterval=days', 'INVALID_PARAMETER', 'day, week or month'],
    ['aggregationInterval=day&fill=0', 'INVALID_PARAMETER', 'null'],
  ])('%s is rejected with a message that helps', async (query, code, words) => {
    const { status, body } = await ask(query)
    expect([status, body.code]).toEqual([400, code])
    expect(body.message).toContain(words)
  })
})

describe('a zone', () => {
  test('applies to the window and the buckets of the summary', async () => {
    const payload = { checkIds: checks.map(({ id }) => id) }
    const url = '/v1/analytics/checks?from=2026-10-25&to=2026-10-25&timezone=Europe/Berlin&aggregationInterval=day'
    const { body } = await api.call({ method: 'POST', url, headers: credentials, payload })
    for (const { data } of body) expect(data).toMatchObject([{ period: '2026-10-25T00:00:00.000+02:00', total: 50 }])
  })
  test('applies to the dates of an export', async () => {
    const { text } = await api.get(`/v1/check-results/${checks[0]?.id}/export?from=2026-10-25&to=2026-10-25&timezone=Europe/Berlin`)
    expect(text.trim().split('\n')).toHaveLength(50)
  })
  test('applies to the calendar range of a badge', async () => {
    const badge = (query: string) => api.get(`/v1/badges/checks/${checks[0]?.id}.json?metric=availability&range=thisWeek${query}`)
    expect((await badge('&timezone=Europe/Berlin')).body.message).toBe('100 %')
    expect((await badge('&timezone=Nowhere')).body.code).toBe('UNKNOWN_TIMEZONE')
  })
})
