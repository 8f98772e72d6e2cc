import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Conversion, changesBetween, converted, convertRun, reportedFor } from '../../../../test/support/conversion.ts'
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts'
import { sha256 } from '../../../ids/sha256.ts'

type Job = Readonly<Record<string, unknown>>

/** A check as returned by the API. */
function job(name: string, more: Job = { timeout: 3600 }): Job {
  const uuid = randomUUID()
  const common = {
    name,
    slug: name,
    tags: '',
    desc: '',
    grace: 600,
    n_pings: 7,
    status: 'up',
    started: false,
    last_ping: '2026-11-14T10:00:00+00:00',
    next_ping: '2026-11-14T11:00:00+00:00',
    manual_resume: false,
    methods: '',
  }
  const filters = {
    subject: '',
    subject_fail: '',
    start_kw: '',
    success_kw: '',
    failure_kw: '',
    filter_subject: false,
    filter_body: false,
    filter_http_body: false,
    filter_default_fail: false,
  }
  const urls = {
    badge_url: `https://hc.example.com/b/2/${uuid}.svg`,
    uuid,
    ping_url: `https://hc-ping.com/${uuid}`,
    update_url: 'https://x',
    pause_url: 'https://x',
    resume_url: 'https://x',
    channels: '',
  }
  return { ...common, ...filters, ...urls, ...more }
}

const crons = ['15 5 * * *', '0 3 * * mon-fri', '*/10 * * * *', '0 0 1 * *', '30 6-18/2 * * *', '@daily'].map((schedule) =>
  job(`cron ${schedule}`, { schedule, tz: 'Europe/Riga' }),
)
const periods = Array.from({ length: 30 }, (_, index) => job(`period ${index}`, { timeout: 60 * (index + 1), grace: index * 60 }))
const others = [
  job('paused', { timeout: 3600, status: 'paused' }),
  job('tagged', { timeout: 3600, tags: 'prod  db,x' }),
  job('described', { timeout: 3600, desc: 'Runs every hour' }),
  job('filtered', { timeout: 3600, success_kw: 'SUCCESS', filter_subject: true }),
  job('', { timeout: 3600 }),
]
const refused = [
  job('calendar', { schedule: 'Mon..Fri 8:00', tz: 'UTC' }),
  job('zone', { schedule: '0 0 * * *', tz: 'Mars/Base' }),
  job('neither', {}),
  job('read-only', { timeout: 60, uuid: undefined, ping_url: undefined, unique_key: 'a6c7b0a8' }),
]
const all = [...crons, ...periods, ...others, ...refused]

describe('checks of Healthchecks', () => {
  test('each is in the output or in the report', async () => {
    expect(all.length).toBeGreaterThanOrEqual(40)
    const conversion = await healthchecks({ checks: all })
    expect(conversion.carried).toHaveLength(all.length - refused.length)
    expect(conversion.lines.filter(({ outcome }) => outcome === 'left out').map(({ item }) => item)).toEqual(
      refused.map(({ name }) => name),
    )
    expect(conversion.lines.map((line) => Object.values(line).join(' | '))).toMatchSnapshot()
    expect(conversion.checks.get('cron 15 5 * * *')).toMatchObject({
      heartbeat: { schedule: '15 5 * * *', timezone: 'Europe/Riga', grace: '10m', token: sha256(String(crons[0]?.uuid)) },
    })
    expect(conversion.checks.get('period 0')).toMatchObject({ heartbeat: { period: '1m' } })
    expect(conversion.checks.get('period 29')).toMatchObject({ heartbeat: { period: '30m', grace: '29m' } })
    expect(conversion.checks.get('paused')).toMatchObject({ activated: false })
    expect(conversion.checks.get('tagged')).toMatchObject({ tags: ['prod', 'db x'] })
    expect(conversion.checks.get('described')).toMatchObject({ description: 'Runs every hour' })
    expect(reportedFor(conversion, 'filtered')).toEqual(['lost success_kw', 'lost filter_subject'])
    for (const { uuid } of all) if (uuid) expect(conversion.text).not.toContain(String(uuid))
  })

  const settings: Job = {
    name: 'other',
    tags: 'x',
    desc: 'x',
    grace: 60,
    timeout: 120,
    manual_resume: true,
    methods: 'POST',
    start_kw: 'x',
    success_kw: 'x',
    failure_kw: 'x',
    filter_subject: true,
    filter_body: true,
    filter_http_body: true,
    filter_default_fail: true,
    channels: 'x',
    uuid: randomUUID(),
    new_setting: 1,
  }
  test.each(Object.entries(settings))('%s is not lost silently', async (name, value) => {
    const one = job('same')
    const [before, after] = [await healthchecks({ checks: [one] }), await healthchecks({ checks: [{ ...one, [name]: value }] })]
    const became = changesBetween([before.text, before.lines], [after.text, after.lines])
    expect(became).not.toBe('')
    if (name !== 'uuid') expect(became).toMatchSnapshot()
  })

  test('the slug of a check becomes its id, and the report explains where the ping key belongs', async () => {
    const unnamed = job('db backup', { timeout: 60, slug: '' })
    const { checks, lines } = await healthchecks({
      checks: [unnamed, job('A', { timeout: 60, slug: 'db-backup' }), job('B', { timeout: 60, slug: 'x_1' })],
    })
    expect([...checks].map(([name, { id }]) => [name, id])).toEqual([
      ['A', 'db-backup'],
      ['B', 'x_1'],
      ['db backup', 'db-backup-2'],
    ])
    expect(lines).toEqual([{ item: '2 checks', field: 'ping key', outcome: 'lost', why: expect.stringContaining(`pingKey: $\{PING_KEY}`) }])
    expect((await healthchecks({ checks: [unnamed] })).lines).toEqual([])
  })

  test('a check without a uuid is left out, whatever its ping URL ends with', async () => {
    const pinged = { timeout: 60, uuid: undefined, ping_url: 'https://hc-ping.com/a-ping-key-of-22-chars/backup' }
    expect(reportedFor(await healthchecks({ checks: [job('A', pinged)] }), 'A')).toEqual(['left out'])
  })

  test('a slug of two checks is kept for the first, with a line in the report', async () => {
    const conversion = await healthchecks({ checks: [job('A', { timeout: 60, slug: 'same' }), job('B', { timeout: 60, slug: 'same' })] })
    expect(reportedFor(conversion, 'B')).toEqual(['changed slug'])
    expect(conversion.checks.get('B')).toMatchObject({ id: 'same-2' })
  })

  test('integrations are reported by name, with the number of their checks', async () => {
    const checks = [job('a', { timeout: 60, channels: 'c1,c2' }), job('b', { timeout: 60, channels: 'c1' })]
    const conversion = await healthchecks({ checks }, { channels: [{ id: 'c1', name: 'Ops', kind: 'slack' }] })
    expect(reportedFor(conversion, 'channel Ops (slack)')).toEqual(['left out'])
    expect(reportedFor(conversion, 'channel c2')).toEqual(['left out'])
  })
})

describe('an invalid response of Healthchecks', () => {
  test.each([
    ['{', 'cannot be read as JSON'],
    ['[]', 'Not a response of Healthchecks'],
    ['{"checks": 1}', 'Not a response of Healthchecks'],
    ['\u00ff', 'cannot be read as JSON'],
  ])('%s is an error message', async (text, why) => {
    const file = join(temporaryFolder(), 'checks.json')
    writeFileSync(file, text)
    expect((await convertRun('healthchecks', [file])).ended).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(why) })
  })

  test('with arbitrary values gives a valid file', async () => {
    const names = fc.constantFrom('name', 'slug', 'tags', 'grace', 'timeout', 'schedule', 'tz', 'uuid', 'channels', 'status')
    await fc.assert(
      fc.asyncProperty(fc.array(fc.dictionary(names, fc.jsonValue()), { maxLength: 5 }), async (checks) => {
        const file = join(temporaryFolder(), 'checks.json')
        writeFileSync(file, JSON.stringify({ checks }))
        expect((await convertRun('healthchecks', [file])).ended).toMatchObject({ exitCode: 0 })
      }),
      { numRuns: 100 },
    )
  })
})

function healthchecks(...bodies: readonly unknown[]): Promise<Conversion> {
  const folder = temporaryFolder()
  const files = bodies.map((body, index) => {
    const file = join(folder, `${index}.json`)
    writeFileSync(file, JSON.stringify(body))
    return file
  })
  return converted('healthchecks', files)
}
