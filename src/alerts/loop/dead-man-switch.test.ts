import { expect, onTestFinished, test } from 'vitest'
import { answers, channelReceiver, noon, type Reply, testTransport } from '../../../test/support/channels.ts'
import { startDeadManSwitches } from './dead-man-switch.ts'

async function open(alive: ReadonlySet<string>, ...replies: readonly Reply[]) {
  const { url, received } = await channelReceiver(...replies)
  const clock = { now: noon }
  const failures: unknown[] = []
  const switches = startDeadManSwitches({
    now: () => clock.now,
    transport: testTransport({ now: () => clock.now }),
    accounts: () => ['none', 'a', 'b'],
    configured: (account) => (account === 'none' ? null : { url: `${url}/S3CRET/${account}`, everyMs: 60_000 }),
    isAlive: (account) => alive.has(account),
    onFailure: (_, error) => failures.push(error),
  })
  onTestFinished(switches.close)
  return { clock, failures, close: switches.close, calls: () => received.map(({ method, path }) => `${method} ${path.split('/').at(-1)}`) }
}

test('is called as often as it says, and only where alerts work and one is configured', async () => {
  const alive = new Set(['none', 'a'])
  const { clock, calls, failures } = await open(alive)
  await expect.poll(calls).toEqual(['POST a'])
  clock.now += 59_999
  alive.add('b')
  await expect.poll(calls).toEqual(['POST a', 'POST b'])
  clock.now += 1
  alive.delete('b')
  await expect.poll(calls).toEqual(['POST a', 'POST b', 'POST a'])
  clock.now += 60_000
  await expect.poll(calls).toEqual(['POST a', 'POST b', 'POST a', 'POST a'])
  expect(failures).toEqual([])
})

test('a failing switch is logged without its address', async () => {
  const { failures, clock, calls } = await open(new Set(['a']), answers(404), answers(200))
  await expect.poll(() => failures).toEqual([new Error('it returned 404')])
  clock.now += 60_000
  await expect.poll(calls).toHaveLength(2)
  expect(failures).toHaveLength(1)
})

test('a call that is waiting for its answer ends with the server, and is no failure', async () => {
  let isAborted = false
  const { calls, close, failures } = await open(new Set(['a']), (answer) => {
    answer.once('close', () => {
      isAborted = true
    })
  })
  await expect.poll(calls).toEqual(['POST a'])
  close()
  await expect.poll(() => isAborted).toBe(true)
  expect(failures).toEqual([])
})
