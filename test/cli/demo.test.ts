// @slow ci
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { checkTypes } from '../../src/checks/registry.ts'
import { dayMs } from '../../src/time.ts'
import { command } from '../support/command.ts'
import { needing, programMissing } from '../support/needs.ts'
import { runProgram, type Started } from '../support/program.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const shell = promisify(execFile)

type Listed = { readonly id: string; readonly name: string; readonly checkType: string; readonly activated: boolean }
type Status = { readonly name: string; readonly state: string }
type Report = { readonly series: readonly { readonly data: readonly Readonly<Record<string, unknown>>[] }[] }
type Entries = { readonly entries: readonly { readonly startedAt: string }[] }

const keyOf = (demo: Pick<Started, 'said'>) => /^key +(\S+)$/m.exec(demo.said())?.[1] ?? ''

async function ask<Body>(demo: Pick<Started, 'said' | 'url'>, path: string): Promise<Body> {
  const answer = await fetch(`${demo.url}${path}`, { headers: { authorization: `Bearer ${keyOf(demo)}`, 'x-service-account': 'demo' } })
  expect(answer.status).toBe(200)
  return (await answer.json()) as Body
}

const options = { ...needing(await programMissing('curl')), timeout: 240_000 }

test('the demo of npm start serves thirty days of every check type, stops with npm, and continues with its data', options, async () => {
  const folder = join(temporaryFolder(), 'demo')
  const demo = await startAsNpm(folder)
  await expect.poll(() => demo.said().match(/^curl /gm)?.length).toBe(5)

  const checks = await ask<readonly Listed[]>(demo, '/v1/checks?limit=100')
  expect(new Set(checks.map(({ checkType }) => checkType))).toEqual(new Set(checkTypes.map(({ type }) => type)))
  const stateOf = async (name: string) => (await ask<readonly Status[]>(demo, '/v1/check-statuses')).find((one) => one.name === name)?.state
  await expect.poll(() => stateOf('Gift cards'), { timeout: 60_000 }).toBe('failing')
  await expect.poll(() => stateOf('Search'), { timeout: 60_000 }).toBe('degraded')
  expect(await stateOf('Old checkout')).toBe('paused')
  const locations = await ask<readonly { readonly runsHere: boolean }[]>(demo, '/v1/locations')
  expect(locations.map(({ runsHere }) => runsHere)).toEqual(locations.map(() => true))
  for (const { id, checkType: type, activated } of checks) {
    const checkType = checkTypes.find((known) => known.type === type)
    const metrics = [...Object.keys(checkType?.metrics ?? {}).map((name) => `${name}_p50`), 'availability', 'retries']
    const { series } = await ask<Report>(demo, `/v1/analytics/${checkType?.path}/${id}?metrics=${metrics}&quickRange=last30Days`)
    const row = series[0]?.data[0] ?? {}
    expect(row.total, id).toBeGreaterThan(2000)
    expect(row.availability, id).toBeGreaterThan(98)
    expect(row.availability, id).toBeLessThan(100)
    for (const metric of metrics) expect(row[metric], `${id} ${metric}`).not.toBeNull()
    const { series: days } = await ask<Report>(
      demo,
      `/v1/analytics/${checkType?.path}/${id}?metrics=availability&quickRange=last30Days&aggregationInterval=1440&limit=100`,
    )
    expect(days[0]?.data.length, id).toBeGreaterThanOrEqual(activated ? 30 : 28)
  }

  const lines = demo.said().match(/^curl .*$/gm) ?? []
  for (const line of lines) {
    const { stdout } = await shell('sh', ['-c', line])
    expect(JSON.parse(stdout).series[0].data.length).toBeGreaterThan(0)
  }

  expect((await stat(join(folder, 'demo.json'))).mode & 0o777).toBe(0o600)
  expect(await readFile(join(folder, 'tidemark.yaml'), 'utf8')).not.toContain(keyOf(demo))

  const env = { TIDEMARK_URL: demo.url, TIDEMARK_KEY: keyOf(demo), TIDEMARK_ACCOUNT: 'demo' }
  await reports(checks, env)

  await end(demo, 'SIGTERM')
  const again = await startAsNpm(folder)
  expect(keyOf(again)).toBe(keyOf(demo))
  const { entries } = await ask<Entries>(again, `/v2/check-results/${checks[0]?.id}?limit=1`)
  expect(Date.now() - Date.parse(entries[0]?.startedAt ?? '')).toBeLessThan(dayMs / 24)
  await end(again, 'SIGKILL')
})

/** Like npm: in a shell that forwards no signals. Its output is closed once the demo has exited, too. */
async function startAsNpm(folder: string) {
  const script = fileURLToPath(new URL('../../scripts/start-demo.mjs', import.meta.url))
  const command = `"${process.execPath}" "${script}" --data "${folder}" --port 0; true`
  const shell = spawn('sh', ['-c', command], { env: { ...process.env, npm_lifecycle_event: 'start' }, stdio: ['ignore', 'pipe', 'pipe'] })
  onTestFinished(() => void shell.kill('SIGKILL'))
  let said = ''
  for (const stream of [shell.stdout, shell.stderr])
    stream.setEncoding('utf8').on('data', (piece: string) => {
      said += piece
    })
  await expect.poll(() => said, { timeout: 150_000 }).toContain('Stop with Ctrl-C')
  return { shell, said: () => said, url: /http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0] ?? '' }
}

/** Resolves once the demo has exited, too. */
async function end({ shell }: Awaited<ReturnType<typeof startAsNpm>>, signal: NodeJS.Signals): Promise<void> {
  const ended = once(shell, 'close')
  shell.kill(signal)
  await ended
}

test('a demo whose folder cannot be used fails with a message', async () => {
  const ended = await runProgram(['demo', '--data', process.execPath])
  expect(ended).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/^The demo cannot be stored in .* Choose another folder with --data\.\n$/),
  })
})

async function reports(checks: readonly Listed[], env: Readonly<Record<string, string>>): Promise<void> {
  const report = (...args: readonly string[]) => command(env, ['report', ...args])
  const timed = checks.find(({ checkType: type }) => checkTypes.some((known) => known.type === type && known.duration))
  const duration = checkTypes.find(({ type }) => type === timed?.checkType)?.duration
  const name = timed?.name ?? ''

  const csv = await report(name, '--metrics', 'p95,availability', '--range', 'last7Days', '--group-by', 'runLocation', '--every', '1d')
  const [head, ...rows] = csv.stdout.trimEnd().split('\r\n')
  expect(head).toBe(`runLocation,period,${duration}_p95,total,success,availability`)
  expect(rows.length).toBeGreaterThanOrEqual(14)
  expect(rows[0]).toMatch(/^[\w-]+,\d{4}-\d\d-\d\dT00:00:00.000Z,[\d.]+,\d+,\d+,[\d.]+$/)

  const hours = await report(name, '--metrics', 'availability', '--range', 'last30Days', '--every', '1h')
  expect(hours.stdout.trimEnd().split('\r\n').length).toBeGreaterThan(700)

  const table = await report(timed?.id ?? '', '--metrics', 'median', '--every', '1h', '--format', 'table')
  expect(table.stdout).toContain(`${duration}_median (ms)`)
  expect(table.stdout).toMatch(/[▁▂▃▄▅▆▇█]{20}/)

  const json = await report(name, '--metrics', 'max', '--format', 'json')
  expect(JSON.parse(json.stdout)).toMatchObject({ checkId: timed?.id, series: [{ data: [{ [`${duration}_max`]: expect.any(Number) }] }] })

  expect(await report(name, '--metrics', 'p98')).toMatchObject({ exitCode: 1, stdout: '', stderr: expect.stringContaining('Nearest') })
  expect(await report('no such check', '--metrics', 'p95')).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('no check') })
}
