import { getEventListeners } from 'node:events'
import { getPriority } from 'node:os'
import { expect, onTestFinished, test } from 'vitest'
import { threadModule } from '../../test/support/thread-module.ts'
import { CallOverdue, type LostThread, openThread, type ThreadOptions } from './thread.ts'

const functions = `
  import { parentPort, threadId } from 'node:worker_threads'
  const functions = {
    add: (a, b) => a + b,
    fail: () => { throw new RangeError('no such column') },
    given: () => threadData(),
    thread: () => threadId,
    spin: () => { for (;;); },
    spinUntilCancelled: () => {
      parentPort.postMessage({ started: true })
      while (!current.isCancelled());
      return 'cancelled'
    },
    uncloneable: () => () => {},
    exit: () => process.exit(1),
    tell: () => parentPort.postMessage({ told: 'by the way' }),
  }
  let current
  const work = (call) => {
    current = call
    return functionsOf(functions)(call)
  }`
const blocking = `${functions}\nanswerBlocking(work)`
const asynchronous = `${functions}
  functions.hang = () => new Promise(() => {})
  functions.untilAborted = () => {
    const { signal } = current
    return new Promise((resolve) => signal.addEventListener('abort', () => resolve([signal.reason.name, signal.reason.message])))
  }
  functions.crash = () => new Promise(() => setTimeout(() => { throw new Error('socket exploded') }))
  answerCalls(work)`

const modes = [
  ['that sleeps between calls', blocking],
  ['with an event loop', asynchronous],
] as const
const long = { timeLimitMs: 60_000 }
/** For calls that are never answered, in a thread that has already started. */
const short = { timeLimitMs: 100 }

async function open(body: string, options: Partial<ThreadOptions> = {}) {
  const lost: LostThread[] = []
  const thread = openThread({ kind: 'test', module: await threadModule(body), onLost: (one) => lost.push(one), ...options })
  onTestFinished(() => thread.destroy())
  return { thread, lost }
}

test.each(modes)('a thread %s settles calls with what they return or throw, and has its data', async (_, body) => {
  const { thread } = await open(body, { data: { directory: 'data' } })
  const calls = [thread.call('add', [1, 2], long), thread.call('fail', [], long), thread.call('given', [], long)]
  expect(await Promise.allSettled(calls)).toMatchObject([
    { value: 3 },
    { reason: { message: 'no such column' } },
    { value: { directory: 'data' } },
  ])
  await expect(thread.call('uncloneable', [], long)).rejects.toThrow('could not be cloned')
  expect(await thread.call('add', [1, 2], long)).toBe(3)
})

test.each(modes)('a thread %s that blocks is terminated and replaced, and the report names the call', async (_, body) => {
  const { thread, lost } = await open(body)
  const before = await thread.call('thread', [], long)
  const spinning = thread.call('spin', [{ check: 'shop', window: { from: 0, to: 9 } }], short)
  await expect(spinning).rejects.toBeInstanceOf(CallOverdue)
  expect(lost).toEqual([
    {
      isOverdue: true,
      message: "A test thread was terminated and replaced: spin { check: 'shop', window: { from: 0, to: 9 } } timed out after 100 ms.",
    },
  ])
  expect(await thread.call('thread', [], long)).not.toBe(before)
})

test.each(modes)('a thread %s that exits rejects its call, is reported, and is replaced', async (_, body) => {
  const { thread } = await open(body)
  await expect(thread.call('exit', [], long)).rejects.toMatchObject({ name: 'ThreadLost' })
  expect(await thread.call('add', [3, 4], long)).toBe(7)
})

test.each(modes)('messages of a thread %s other than replies are passed on', async (_, body) => {
  const messages: unknown[] = []
  const { thread } = await open(body, { onMessage: (message) => messages.push(message) })
  await thread.call('tell', [], long)
  expect(messages).toEqual([{ told: 'by the way' }])
})

test('a computation can check whether its call is cancelled, and the next call is not', async () => {
  let noteStarted = () => {}
  const started = new Promise<void>((resolve) => {
    noteStarted = resolve
  })
  const { thread } = await open(blocking, { onMessage: noteStarted })
  const abort = new AbortController()
  const cancelled = thread.call('spinUntilCancelled', [], { ...long, signal: abort.signal })
  await started
  abort.abort()
  expect(await cancelled).toBe('cancelled')
  await expect(thread.call('spinUntilCancelled', [], short)).rejects.toBeInstanceOf(CallOverdue)
})

test('an abort affects only its own call, with its reason, also if it was aborted before', async () => {
  const { thread } = await open(asynchronous)
  const [aborted, other] = [new AbortController(), new AbortController()]
  const calls = [aborted, other].map(({ signal }) => thread.call('untilAborted', [], { ...long, signal }))
  aborted.abort(new DOMException('The run timed out.', 'TimeoutError'))
  expect(await calls[0]).toEqual(['TimeoutError', 'The run timed out.'])
  other.abort(new DOMException('The run was cancelled.', 'AbortError'))
  expect(await calls[1]).toEqual(['AbortError', 'The run was cancelled.'])
  expect(await thread.call('untilAborted', [], { ...long, signal: aborted.signal })).toEqual(['TimeoutError', 'The run timed out.'])
})

test('listeners are removed from the signal of a finished call', async () => {
  const { thread } = await open(blocking)
  const { signal } = new AbortController()
  await thread.call('add', [1, 2], { ...long, signal })
  await thread.call('fail', [], { ...long, signal }).catch(() => {})
  await thread.call('spin', [], { ...short, signal }).catch(() => {})
  expect(getEventListeners(signal, 'abort')).toEqual([])
})

test('the error that crashes a thread rejects its calls and is reported', async () => {
  const { thread, lost } = await open(asynchronous)
  const calls = await Promise.allSettled([thread.call('hang', [], long), thread.call('crash', [], long)])
  expect(calls.map((call) => call.status === 'rejected' && call.reason.cause.message)).toEqual(['socket exploded', 'socket exploded'])
  expect(lost).toEqual([{ isOverdue: false, message: 'A test thread crashed: socket exploded' }])
  expect(await thread.call('add', [1, 2], long)).toBe(3)
})

test('a call that hangs in a shared thread does not affect others there, and new calls get another thread', async () => {
  const { thread, lost } = await open(asynchronous, { isShared: true })
  const before = await thread.call('thread', [], long)
  const abort = new AbortController()
  const other = thread.call('untilAborted', [], { ...long, signal: abort.signal })
  await expect(thread.call('hang', [], short)).rejects.toBeInstanceOf(CallOverdue)
  expect(lost).toHaveLength(1)
  await expect.poll(() => thread.call('thread', [], long)).not.toBe(before)
  abort.abort(new DOMException('The run was cancelled.', 'AbortError'))
  expect(await other).toEqual(['AbortError', 'The run was cancelled.'])
})

test('a shared thread that blocks fails all its calls and is replaced', async () => {
  const { thread } = await open(asynchronous, { isShared: true })
  const before = await thread.call('thread', [], long)
  const calls = [thread.call('hang', [], long), thread.call('spin', [], short)]
  expect((await Promise.allSettled(calls)).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await thread.call('thread', [], long)).not.toBe(before)
})

test('closing waits for pending calls, destroying does not, and both reject later calls', async () => {
  const { thread } = await open(asynchronous)
  const abort = new AbortController()
  const waiting = thread.call('untilAborted', [], { ...long, signal: abort.signal })
  const closing = thread.close()
  abort.abort(new DOMException('The run was cancelled.', 'AbortError'))
  expect(await waiting).toEqual(['AbortError', 'The run was cancelled.'])
  await closing
  await expect(thread.call('add', [1, 2], long)).rejects.toThrow('closed')
  const { thread: destroyed } = await open(asynchronous)
  const lost = destroyed.call('hang', [], long).catch((error) => error)
  await destroyed.destroy()
  expect(await lost).toMatchObject({ name: 'ThreadLost' })
})

test.runIf(process.platform === 'linux')('a thread that yields to others has a lower priority', async () => {
  const { thread } = await open(
    `import { getPriority } from 'node:os'
    answerCalls(() => getPriority())`,
    { yields: true },
  )
  const before = getPriority()
  expect(await thread.call('priority', [], long)).toBe(Math.min(19, before + 10))
  expect(getPriority()).toBe(before)
})

test('a thread that cannot change its priority still responds', async () => {
  const { thread } = await open(
    `import os from 'node:os'
    import { syncBuiltinESMExports } from 'node:module'
    os.setPriority = () => { throw new Error('EPERM') }
    syncBuiltinESMExports()
    answerCalls(() => 'answered')`,
    { yields: true },
  )
  expect(await thread.call('any', [], long)).toBe('answered')
})
