import { expect, test } from 'vitest'
import { createOnDemand } from './on-demand.ts'

/** Each call, and each pause between calls, lasts until the test ends it. */
function open() {
  const events: string[] = []
  const ends: (() => void)[] = []
  const step = (name: string) => () => {
    events.push(name)
    return new Promise<void>((resolve) => ends.push(resolve))
  }
  const stop = new AbortController()
  const ask = createOnDemand({ act: step('act'), pause: step('pause'), signal: stop.signal })
  const end = async () => {
    ends.shift()?.()
    await Promise.resolve()
  }
  return { ask, end, events, stop }
}

test('a request is acted on at once, and once more after a pause', async () => {
  const { ask, end, events } = open()
  ask()
  expect(events).toEqual(['act'])
  for (let i = 0; i < 5; i++) await end()
  expect(events).toEqual(['act', 'pause', 'act', 'pause'])
  ask()
  expect(events).toEqual(['act', 'pause', 'act', 'pause', 'act'])
})

test('requests during an action lead to another one, one at a time', async () => {
  const { ask, end, events } = open()
  ask()
  await end()
  await end()
  ask()
  ask()
  expect(events).toEqual(['act', 'pause', 'act'])
  for (let i = 0; i < 10; i++) await end()
  expect(events.filter((event) => event === 'act')).toHaveLength(4)
})

test('nothing is done after a stop', async () => {
  const { ask, end, events, stop } = open()
  ask()
  stop.abort()
  for (let i = 0; i < 4; i++) await end()
  ask()
  expect(events).toEqual(['act', 'pause'])
})
