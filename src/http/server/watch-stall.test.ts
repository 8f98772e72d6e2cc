import { expect, onTestFinished, test, vi } from 'vitest'
import { watchStall } from './watch-stall.ts'

async function* numbers() {
  yield 1
  yield 2
}

test('a consumer that stops reading is noticed', async () => {
  let stalls = 0
  const chunks = watchStall(numbers(), { stallMs: 1, onStall: () => stalls++ })
  expect(await chunks.next()).toMatchObject({ value: 1 })
  await expect.poll(() => stalls).toBe(1)
})

test('a consumer that continues reading, or has ended, is not', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  let stalls = 0
  const onStall = () => stalls++
  const read: number[] = []
  for await (const chunk of watchStall(numbers(), { stallMs: 5000, onStall })) read.push(chunk)
  expect(read).toEqual([1, 2])
  const ended = watchStall(numbers(), { stallMs: 1, onStall })
  await ended.next()
  await ended.return(undefined)
  vi.advanceTimersByTime(60_000)
  expect(stalls).toBe(0)
})
