import { expect, test } from 'vitest'
import { createCallQueue } from './call-queue.ts'

const { signal: never } = new AbortController()

/** Calls that end when they are told to. */
function openCalls(queue: ReturnType<typeof createCallQueue>) {
  const started: string[] = []
  const ends = new Map<string, () => void>()
  const call = (name: string, signal = never) =>
    queue(() => {
      started.push(name)
      return new Promise<string>((resolve) => ends.set(name, () => resolve(name)))
    }, signal)
  return { started, call, end: (name: string) => ends.get(name)?.() }
}

test('so many calls run at once, and the others follow in their order', async () => {
  const { started, call, end } = openCalls(createCallQueue({ concurrency: 2, maxQueued: 10 }))
  const all = ['a', 'b', 'c', 'd'].map((name) => call(name))
  expect(started).toEqual(['a', 'b'])
  end('b')
  expect(await all[1]).toBe('b')
  await expect.poll(() => started).toEqual(['a', 'b', 'c'])
  end('a')
  await expect.poll(() => started).toEqual(['a', 'b', 'c', 'd'])
})

test('a queued call that is aborted never runs', async () => {
  const { started, call, end } = openCalls(createCallQueue({ concurrency: 1, maxQueued: 10 }))
  const abort = new AbortController()
  const [first, aborted, third] = [call('first'), call('aborted', abort.signal), call('third')]
  abort.abort(new Error('not wanted any more'))
  await expect(aborted).rejects.toThrow('not wanted any more')
  end('first')
  await first
  await expect.poll(() => started).toEqual(['first', 'third'])
  end('third')
  expect(await third).toBe('third')
})

test('a running call that is aborted rejects at once, and the next one starts when it has ended', async () => {
  const { started, call, end } = openCalls(createCallQueue({ concurrency: 1, maxQueued: 10 }))
  const abort = new AbortController()
  const [aborted, next] = [call('aborted', abort.signal), call('next')]
  abort.abort()
  await expect(aborted).rejects.toThrow('abort')
  expect(started).toEqual(['aborted'])
  end('aborted')
  await expect.poll(() => started).toEqual(['aborted', 'next'])
  end('next')
  expect(await next).toBe('next')
})

test('a call that was aborted before it was made does not run, and a call beyond the limit is refused and may be retried', async () => {
  const { started, call } = openCalls(createCallQueue({ concurrency: 1, maxQueued: 1 }))
  await expect(call('aborted', AbortSignal.abort())).rejects.toThrow('abort')
  void call('running')
  void call('queued')
  await expect(call('refused')).rejects.toMatchObject({ name: 'StoreUnavailable', retryAfterSeconds: 1 })
  expect(started).toEqual(['running'])
})
