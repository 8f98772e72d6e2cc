import { expect, onTestFinished, test } from 'vitest'
import { checkOf, checkTypeOf, passed, pingedType } from '../../../test/support/checks.ts'
import { httpServer } from '../../../test/support/servers.ts'
import { virtualClock } from '../../../test/support/virtual-clock.ts'
import { hourMs } from '../../time.ts'
import { startPinger } from './pinger.ts'

test('jobs are pinged at once and then in their period, grouped by period, until the demo ends', async () => {
  const paths: (string | undefined)[] = []
  const port = await httpServer(({ url }, response) => {
    paths.push(url)
    response.end('pong')
  })
  const clock = virtualClock(0)
  const daily = { ...pingedType, pingSettings: () => ({ periodMs: 24 * hourMs, graceMs: 0, tokenHash: '' }) }
  const checks = [
    checkOf('hourly', pingedType),
    checkOf('hourly-too', pingedType),
    checkOf('daily', daily),
    checkOf('paused', { ...daily, pingSettings: () => ({ periodMs: 1, graceMs: 0, tokenHash: '' }) }, { activated: false }),
    checkOf(
      'home',
      checkTypeOf(async () => passed),
    ),
  ]
  const pinger = startPinger({ checks, url: `http://127.0.0.1:${port}/ping/token`, clock })
  onTestFinished(() => pinger.close())
  await expect.poll(() => paths).toEqual(['/ping/token', '/ping/token'])
  await clock.advance(hourMs - 1)
  expect(paths).toHaveLength(2)
  await clock.advance(1)
  await expect.poll(() => paths).toHaveLength(3)
  await clock.advance(23 * hourMs)
  await expect.poll(() => paths).toHaveLength(2 + 24 + 1)
  expect(clock.pending()).toBe(2)
  pinger.close()
  expect(clock.pending()).toBe(0)
})
