import { type AddressInfo, connect } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { pingedTypes, pingKey } from '../support/example-config.ts'
import { checkOfType, checks, feeder, type IngestApp, ingestApp, now, pingToken } from '../support/ingest-app.ts'

const [type] = pingedTypes
if (!type) throw new Error('no type waits for pings')
const check = checkOfType(type)
const rhythm = type.pingSettings?.(check.settings) ?? { periodMs: 0, graceMs: 0 }
const path = `/ping/${pingToken}`
const text = { 'content-type': 'text/plain' }

describe('a ping', () => {
  test.each(['GET', 'POST', 'HEAD'] as const)('by %s is stored and answered with OK without credentials', async (method) => {
    const app = await ingestApp()
    const response = await app.app.inject({ method, url: path })
    expect(response.statusCode).toBe(200)
    expect(response.headers['content-type']).toBe('text/plain; charset=utf-8')
    expect(response.headers['content-length']).toBe('2')
    expect(await states(app)).toEqual(['RECEIVED'])
  })

  test('may have a body of any content type', async () => {
    const app = await ingestApp()
    for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded']) {
      const response = await app.app.inject({ method: 'POST', url: path, headers: { 'content-type': type }, payload: '{"broken' })
      expect(response.payload).toBe('OK')
    }
  })

  test.each([65_536, 65_537, 3_000_000])('with a body of %i bytes is stored, with the end of the body as evidence', async (length) => {
    const app = await ingestApp()
    const payload = `${'é'.repeat(length / 2 - 10)}\nall is lost`
    for (const [index, url] of [path, `${path}/fail`, `${path}/1`].entries()) {
      app.clock.now = () => now + index
      expect((await app.app.inject({ method: 'POST', url, payload, headers: text })).payload).toBe('OK')
    }
    expect((await results(app)).map(({ hasFailures }) => hasFailures)).toEqual([false, true, true])
    const [, failed] = await results(app)
    const [first, ...last] = await messages(app, failed.id)
    expect(first).toMatch(/^…é{7000,8000}$/)
    expect(last).toEqual(['all is lost'])
  })

  test('with a body longer than 10 MiB is answered, and its connection stays usable', async () => {
    const opened = await ingestApp()
    const { app } = opened
    await app.listen({ host: '127.0.0.1', port: 0 })
    const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    let received = ''
    socket.on('data', (chunk) => {
      received += chunk
    })
    const head = (size: number) => `POST ${path}/fail HTTP/1.1\r\nHost: x\r\nContent-Length: ${size}\r\n\r\n`
    const part = Buffer.alloc(11 * 2 ** 20, 'x')
    socket.write(head(2 * part.length))
    socket.write(part)
    await expect.poll(() => received).toMatch(/^HTTP\/1.1 200 .*OK$/s)
    const [failed] = await results(opened)
    expect((await messages(opened, failed.id)).at(-1)).toBe('[more than 10 MiB: the rest was not read]')
    opened.clock.now = () => now + 1
    socket.write(part)
    socket.write(`${head(1)}x`)
    await expect.poll(() => received.match(/HTTP\/1.1 200 /g)).toHaveLength(2)
  })

  test('with an unknown token is a 404, whatever the token', async () => {
    const { app } = await ingestApp()
    for (const token of ['unknown', `${pingToken}x`, '%00', '..%2f', 'x'.repeat(5000)])
      expect((await app.inject({ url: `/ping/${token}` })).json()).toMatchObject({ statusCode: 404, code: 'PING_NOT_FOUND' })
    expect((await app.inject({ method: 'DELETE', url: path })).statusCode).toBe(405)
  })

  test('is evaluated relative to the one before it', async () => {
    const app = await ingestApp()
    const pings = [0, rhythm.periodMs, 2 * rhythm.periodMs + rhythm.graceMs, 2 * rhythm.periodMs + rhythm.graceMs + 1]
    for (const afterMs of pings) await ping(app, now - 10 * rhythm.periodMs + afterMs)
    expect(await states(app)).toEqual(['RECEIVED', 'RECEIVED', rhythm.graceMs > 0 ? 'GRACE' : 'RECEIVED', 'EARLY'])
  })

  test('to /fail is stored as a failing result', async () => {
    const app = await ingestApp()
    await ping(app, now, `${path}/fail`)
    expect(await results(app)).toMatchObject([
      { state: 'FAILING', hasFailures: true, hasErrors: false, error: 'the job reported a failure' },
    ])
  })

  test('after its deadline is LATE and stores the missed ping once, whoever else stores it', async () => {
    const app = await ingestApp()
    const first = now - 10 * rhythm.periodMs
    await ping(app, first)
    await ping(app, first + rhythm.periodMs + rhythm.graceMs + 1)
    expect(await states(app)).toEqual(['RECEIVED', 'FAILING', 'LATE'])
    const [, missed] = await results(app)
    expect(missed).toMatchObject({ startedAt: new Date(first + rhythm.periodMs + rhythm.graceMs).toISOString(), hasErrors: true })
  })

  test('after its deadline stores no miss while its check is paused', async () => {
    const app = await ingestApp()
    const first = now - 10 * rhythm.periodMs
    await ping(app, first)
    const found = app.catalogue.checkByPingToken
    Object.assign(app.catalogue, {
      checkByPingToken: (hash: string) => {
        const known = found(hash)
        return known && { ...known, activated: false }
      },
    })
    await ping(app, first + rhythm.periodMs + rhythm.graceMs + 1)
    expect(await states(app)).toEqual(['RECEIVED', 'LATE'])
  })

  test('that failed still counts when Tidemark was down for many periods', async () => {
    const app = await ingestApp()
    await ping(app, now, `${path}/fail`)
    app.clock.now = () => now + 10 * rhythm.periodMs
    const status = await app.app.inject({ url: `/v1/check-statuses/${check.id}`, headers: feeder })
    expect(status.json()).toMatchObject({ hasFailures: true, state: 'unknown' })
  })

  test('after one with a start in the future is evaluated as the first one', async () => {
    const app = await ingestApp()
    await ping(app, now + 100 * rhythm.periodMs)
    await ping(app, now)
    expect(await states(app)).toEqual(['RECEIVED', 'RECEIVED'])
  })

  test('twice in one millisecond is one result', async () => {
    const app = await ingestApp()
    await Promise.all([ping(app, now), ping(app, now)])
    expect(await states(app)).toEqual(['RECEIVED'])
  })
})

describe('a ping by slug', () => {
  const bySlug = `/ping/${pingKey}/${check.id}`

  test.each(['GET', 'POST', 'HEAD'] as const)('by %s is stored for the check with this id', async (method) => {
    const app = await ingestApp()
    const response = await app.app.inject({ method, url: bySlug })
    expect([response.statusCode, response.headers['content-length']]).toEqual([200, '2'])
    expect(await states(app)).toEqual(['RECEIVED'])
  })

  test('has the same results as a ping by token', async () => {
    const from = now - 5 * rhythm.periodMs
    const endings = ['', '/start', '?rid=x', '/fail', '/log', '/0', '/3', '/start?rid=a', '?rid=a', '/']
    const told = async (base: string) => {
      const app = await ingestApp()
      for (const [index, ending] of endings.entries()) await ping(app, from + 1000 * index, `${base}${ending}`)
      return results(app)
    }
    const withoutIds = (rows: readonly object[]) => rows.map((row) => ({ ...row, id: null }))
    expect(withoutIds(await told(bySlug))).toEqual(withoutIds(await told(path)))
  })

  test('ends a run that was started by token, and the other way round', async () => {
    const app = await ingestApp()
    await ping(app, now, `${path}/start`)
    await ping(app, now + 1500, bySlug)
    await ping(app, now + 2000, `${bySlug}/start`)
    await ping(app, now + 4000, path)
    expect((await results(app)).map(({ duration }) => duration)).toEqual([1500, 2000])
  })

  test('works for a check whose id is a reserved word of ping URLs, or a number', async () => {
    const app = await ingestApp()
    const found = app.catalogue.check
    for (const id of ['start', 'fail', 'log', '7']) {
      Object.assign(app.catalogue, { check: (owner: string, asked: string) => found(owner, asked === id ? check.id : asked) })
      for (const url of [`/ping/${pingKey}/${id}`, `/ping/${pingKey}/${id}/fail`, `/ping/${pingKey}/${id}/1`]) await ping(app, now, url)
    }
  })

  test('for a check that does not wait for pings is a 404 that says so, and creates no check', async () => {
    const { app } = await ingestApp()
    const other = checks.find(({ checkType }) => !checkType.pingSettings)?.id
    for (const ending of [
      'unknown',
      'unknown?create=1',
      'unknown/start',
      `${other}`,
      `${other}/fail`,
      'x'.repeat(5000),
      '%00',
      '..%2f',
      '1',
    ])
      expect((await app.inject({ url: `/ping/${pingKey}/${ending}` })).json(), ending).toMatchObject({
        statusCode: 404,
        code: 'PING_SLUG_NOT_FOUND',
        message: expect.stringContaining('a ping does not create one'),
      })
    for (const code of ['256', '-1', 'x', '1e1', '00000'])
      expect((await app.inject({ url: `${bySlug}/${code}` })).json()).toMatchObject({ code: 'PING_NOT_FOUND' })
  })

  test('with another key, or the token of the check itself, is a 404 without details', async () => {
    const { app } = await ingestApp()
    for (const key of ['unknown', `${pingKey}x`, pingToken])
      for (const ending of ['', '/start', '/fail', '/0'])
        expect((await app.inject({ url: `/ping/${key}/${check.id}${ending}` })).json()).toMatchObject({ code: 'PING_NOT_FOUND' })
    expect((await app.inject({ url: `/ping/${pingKey}` })).json()).toMatchObject({ code: 'PING_NOT_FOUND' })
    expect((await app.inject({ url: `/api/push/${pingKey}?status=up` })).statusCode).toBe(404)
    expect((await app.inject({ url: `/ping/${pingKey}/foreign` })).json()).toMatchObject({ code: 'PING_SLUG_NOT_FOUND' })
    expect((await app.inject({ method: 'DELETE', url: bySlug })).statusCode).toBe(405)
  })

  test('redacts the key and the token in the stored body', async () => {
    const app = await ingestApp()
    await app.app.inject({ method: 'POST', url: `${bySlug}/fail`, payload: `posted to ${pingKey}, once ${pingToken}`, headers: text })
    const [failed] = await results(app)
    expect(await messages(app, failed.id)).toEqual(['posted to •••, once •••'])
  })
})

describe('a job', () => {
  const from = now - 5 * rhythm.periodMs

  test('that sends a start ping has its run time as the metric duration', async () => {
    const app = await ingestApp()
    await ping(app, from, `${path}/start`)
    expect(await app.app.inject({ url: `/v1/check-results/${check.id}/export`, headers: feeder }).then(({ payload }) => payload)).toBe('')
    await ping(app, from + 1500)
    await ping(app, from + 2000)
    await ping(app, from + 3000, `${path}/start?rid=a`)
    await ping(app, from + 4000, `${path}/start?rid=b`)
    await ping(app, from + 5000, `${path}?rid=a`)
    await ping(app, from + 9000, `${path}/fail?rid=b`)
    expect((await results(app)).map(({ duration }) => duration ?? null)).toEqual([1500, null, 2000, 5000])
    app.clock.now = () => now
    const url = `/v1/analytics/${type.path}/${check.id}?quickRange=last24Hours&metrics=duration_max`
    expect((await app.app.inject({ url, headers: feeder })).json().series).toMatchObject([{ data: [{ duration_max: 5000 }] }])
  })

  test('passes or fails by its exit code', async () => {
    const app = await ingestApp()
    await ping(app, from, `${path}/0`)
    await ping(app, from + 1, `${path}/3`)
    await ping(app, from + 2, `${path}/log`)
    expect(await results(app)).toMatchObject([
      { hasFailures: false },
      { hasFailures: true, hasErrors: false, error: 'the job ended with exit code 3' },
    ])
    for (const code of ['256', '-1', 'x', '1e1', '00000']) expect((await app.app.inject({ url: `${path}/${code}` })).statusCode).toBe(404)
  })

  test('has the body of a failure ping stored as evidence, without its token', async () => {
    const app = await ingestApp()
    const payload = `line one\nposted to ${pingToken}\n`
    await app.app.inject({ method: 'POST', url: `${path}/1`, payload, headers: { 'content-type': 'text/plain' } })
    await app.app.inject({ method: 'POST', url: path, payload, headers: { 'content-type': 'text/plain' } })
    const [failed] = await results(app)
    const shown = await app.app.inject({ url: `/v1/check-results/${check.id}/${failed.id}`, headers: feeder })
    expect(JSON.stringify(shown.json())).toContain('line one')
    expect(shown.payload).not.toContain(pingToken)
  })

  test('has the body of a success ping stored if the check keeps evidence of all runs', async () => {
    const app = await ingestApp()
    const found = app.catalogue.checkByPingToken
    Object.assign(app.catalogue, {
      checkByPingToken: (hash: string) => {
        const kept = found(hash)
        return kept && { ...kept, evidence: 'all' }
      },
    })
    const lines = Array.from({ length: 500 }, (_, index) => `line ${index}`)
    await app.app.inject({ method: 'POST', url: path, payload: lines.join('\n'), headers: text })
    const [passed] = await results(app)
    expect(passed.hasFailures).toBe(false)
    expect(await messages(app, passed.id)).toEqual(lines.slice(-400))
  })

  test('shows no part of its token where the output is truncated', async () => {
    const app = await ingestApp()
    const payload = `${pingToken.repeat(1000)}12345`
    await app.app.inject({ method: 'POST', url: `${path}/1`, payload, headers: text })
    const [failed] = await results(app)
    const shown = (await messages(app, failed.id)).join('')
    expect(shown).toMatch(/^…•+12345$/)
  })

  test('can use the push URL of Uptime Kuma', async () => {
    const app = await ingestApp()
    const push = async (at: number, query: string) => {
      app.clock.now = () => at
      return app.app.inject({ url: `/api/push/${pingToken}?${query}` })
    }
    expect((await push(from, 'status=up&msg=OK&ping=12')).json()).toEqual({ ok: true })
    await push(from + 1, 'status=down&msg=disk%20full&ping=')
    await push(from + 2, `status=down&msg=not%20sent%20to%20${pingToken}`)
    for (const [index, query] of ['', 'status=', 'status=warning', 'status=UP', 'status=down&status=up'].entries())
      await push(from + 3 + index, query)
    expect(await results(app)).toMatchObject([
      { hasFailures: false, duration: 12 },
      { hasFailures: true, error: 'disk full' },
      { hasFailures: true, error: 'not sent to •••' },
      { hasFailures: false },
      { hasFailures: false },
      { hasFailures: true },
      { hasFailures: true },
      { hasFailures: true },
    ])
    for (const method of ['POST', 'HEAD', 'PUT', 'PATCH'] as const)
      expect((await app.app.inject({ method, url: `/api/push/${pingToken}`, payload: '{}' })).statusCode).toBe(200)
    expect((await app.app.inject({ url: '/api/push/unknown?status=up' })).statusCode).toBe(404)
  })
})

async function ping({ app, clock }: IngestApp, at: number, url = path): Promise<void> {
  clock.now = () => at
  expect((await app.inject({ url })).payload).toBe('OK')
}

async function results({ app }: IngestApp) {
  const { payload } = await app.inject({ url: `/v1/check-results/${check.id}/export`, headers: feeder })
  return payload
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

async function messages({ app }: IngestApp, resultId: string): Promise<readonly string[]> {
  const shown = await app.inject({ url: `/v1/check-results/${check.id}/${resultId}`, headers: feeder })
  return shown.json().evidence.attempts[0].messages
}

async function states(app: IngestApp) {
  return (await results(app)).map(({ state }) => state)
}
