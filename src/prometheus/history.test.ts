import { expect, test } from 'vitest'
import { runTypes } from '../../test/support/example-config.ts'
import { history, type PastCheck } from './history.ts'
import type { Run } from './run-gauges.ts'

const measured = runTypes.find(({ fields, duration }) => duration !== null && fields.includes('sslDaysRemaining'))
if (!measured?.duration) throw new Error('a test needs this type')
const { duration } = measured
const shop: PastCheck = { id: 'shop', checkType: measured }
const gone: PastCheck = { id: 'gone', checkType: null }

const run = (startedAt: number, more: Partial<Run> = {}): Run => ({
  startedAt,
  runLocation: 'eu',
  hasFailures: false,
  isDegraded: false,
  values: {},
  ...more,
})

type Batches = Readonly<Record<string, readonly (readonly Run[])[]>>

/** The pieces of the export of these checks, without the lines of help. */
async function exported(checks: readonly PastCheck[], batches: Batches): Promise<readonly string[]> {
  async function* read({ id }: PastCheck) {
    yield* batches[id] ?? []
  }
  const pieces: string[] = []
  for await (const piece of history(checks, read)) if (!piece.startsWith('# TYPE')) pieces.push(piece)
  return pieces
}

test('each family has results of all checks by location with timestamps, and removed checks have what needs no type', async () => {
  const batches = {
    shop: [
      [run(1000, { values: { [duration]: 250 } }), run(1500, { runLocation: 'us', hasFailures: true })],
      [run(2000, { isDegraded: true, values: { sslDaysRemaining: 2 } })],
    ],
    gone: [[run(3000, { values: { [duration]: 1 } })]],
  }
  expect((await exported([shop, gone], batches)).join('').split('\n')).toEqual([
    'tidemark_check_up{check="shop",location="eu"} 1 1',
    'tidemark_check_up{check="shop",location="eu"} 1 2',
    'tidemark_check_up{check="shop",location="us"} 0 1.5',
    'tidemark_check_up{check="gone",location="eu"} 1 3',
    'tidemark_check_degraded{check="shop",location="eu"} 0 1',
    'tidemark_check_degraded{check="shop",location="eu"} 1 2',
    'tidemark_check_degraded{check="shop",location="us"} 0 1.5',
    'tidemark_check_degraded{check="gone",location="eu"} 0 3',
    'tidemark_check_last_duration_seconds{check="shop",location="eu"} 0.25 1',
    'tidemark_check_certificate_remaining_seconds{check="shop",location="eu"} 172800 2',
    '# EOF',
    '',
  ])
})

test('of several runs in the same millisecond at a location the last one counts', async () => {
  const [up] = await exported([shop], {
    shop: [
      [run(1000), run(1000, { hasFailures: true })],
      [run(1001), run(1000, { runLocation: 'us' })],
    ],
  })
  expect(up).toBe('tidemark_check_up{check="shop",location="eu"} 0 1\ntidemark_check_up{check="shop",location="eu"} 1 1.001\n')
})

test('a long history is returned in pieces that have each result once', async () => {
  const times = Array.from({ length: 1001 }, (_, i) => 1000 * (i + 1))
  const pieces = await exported([gone], { gone: [times.map((time) => run(time))] })
  const up = pieces.filter((piece) => piece.startsWith('tidemark_check_up'))
  expect(up.map((piece) => piece.split('\n').length - 1)).toEqual([500, 500, 1])
  expect(
    up
      .join('')
      .trimEnd()
      .split('\n')
      .map((line) => Number(line.split(' ')[2])),
  ).toEqual(times.map((time) => time / 1000))
})

test('families have their OpenMetrics metadata, also without checks', async () => {
  const pieces: string[] = []
  for await (const piece of history([], async function* () {})) pieces.push(piece)
  expect(pieces).toHaveLength(5)
  expect(pieces.at(-2)).toContain('# UNIT tidemark_check_certificate_remaining_seconds seconds\n')
})
