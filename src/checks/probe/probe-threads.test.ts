import { expect, onTestFinished, test } from 'vitest'
import { checkTypeOf, passed } from '../../../test/support/checks.ts'
import { threadModule } from '../../../test/support/thread-module.ts'
import type { ProbeAttempt } from './probe.ts'
import { openProbeThreads } from './probe-threads.ts'

/** Does what the setting `name` says. */
const thread = `
  import { parentPort, threadId } from 'node:worker_threads'
  const acts = {
    echo: (sent) => ({ ...sent, threadId }),
    hang: (_, signal) => new Promise((resolve) => {
      const end = () => resolve({ name: signal.reason.name, message: signal.reason.message })
      signal.addEventListener('abort', end)
      if (signal.aborted) end()
    }),
    ignore: () => new Promise(() => {}),
    spin: () => { for (;;); },
    throw: () => { throw new RangeError('no such header') },
    crash: () => new Promise(() => setTimeout(() => { throw new Error('socket exploded') })),
    loseJudge: () => parentPort.postMessage({ judgeLost: 'A judge thread was ended.' }),
  }
  answerCalls(({ args: [sent], signal }) => acts[sent.settings.name](sent, signal))`

async function openThreads(lost: string[] = []) {
  const threads = openProbeThreads(
    { configDir: '/', chromium: null, env: {} },
    { module: await threadModule(thread), graceMs: 1000, onLost: (kind, { message }) => lost.push(`${kind}: ${message}`) },
  )
  onTestFinished(() => threads.close())
  return (name: string, more: Partial<ProbeAttempt> = {}): Promise<unknown> => {
    const { signal } = new AbortController()
    const checkType = checkTypeOf(async () => passed)
    const attempt = { checkType, settings: { name }, key: name, timeoutMs: 1000, secrets: [], addresses: { allow: [], deny: [] }, signal }
    return threads.probe({ ...attempt, ...more })
  }
}

test('a run is sent to a thread as plain data, and one of a heavy type to another thread', async () => {
  const probe = await openThreads()
  const [first, second] = [await probe('echo'), await probe('echo')] as { threadId: number }[]
  const heavy = (await probe('echo', { checkType: checkTypeOf(async () => passed, true) })) as { threadId: number }
  expect(first).toMatchObject({ type: 'TEST', settings: { name: 'echo' }, timeoutMs: 1000, addresses: { allow: [], deny: [] } })
  expect(second?.threadId).toBe(first?.threadId)
  expect(heavy.threadId).not.toBe(first?.threadId)
})

test('an abort affects only its own run, with its reason', async () => {
  const probe = await openThreads()
  const [aborted, other] = [new AbortController(), new AbortController()]
  const runs = [probe('hang', { signal: aborted.signal }), probe('hang', { signal: other.signal })]
  aborted.abort(new DOMException('The run timed out.', 'TimeoutError'))
  expect(await runs[0]).toEqual({ name: 'TimeoutError', message: 'The run timed out.' })
  other.abort(new DOMException('The run was cancelled.', 'AbortError'))
  expect(await runs[1]).toEqual({ name: 'AbortError', message: 'The run was cancelled.' })
})

test('a run that is aborted before it starts receives the abort', async () => {
  const signal = AbortSignal.abort(new DOMException('The run was cancelled.', 'AbortError'))
  expect(await (await openThreads())('hang', { signal })).toMatchObject({ name: 'AbortError' })
})

test('an exception rejects the run, and the thread continues', async () => {
  const probe = await openThreads()
  const before = (await probe('echo')) as { threadId: number }
  await expect(probe('throw')).rejects.toThrow('no such header')
  expect(await probe('echo')).toMatchObject({ threadId: before.threadId })
})

test('a crashed thread fails its runs, and the next run gets a new one', async () => {
  const probe = await openThreads()
  const runs = await Promise.allSettled([probe('hang'), probe('crash')])
  expect(runs.map((run) => run.status === 'rejected' && run.reason.message)).toEqual(['socket exploded', 'socket exploded'])
  expect(await probe('echo')).toMatchObject({ type: 'TEST' })
})

test('a run that blocks its thread fails with the others in it, is reported with its check, and the next run gets a new thread', async () => {
  const lost: string[] = []
  const probe = await openThreads(lost)
  const before = (await probe('echo')) as { threadId: number }
  const runs = await Promise.allSettled([probe('hang', { timeoutMs: 60_000 }), probe('spin', { key: '["acme","shop"]' })])
  expect(runs.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(lost).toEqual(['probe: A probe thread was terminated and replaced: a run of ["acme","shop"] timed out after 2,000 ms.'])
  expect(((await probe('echo')) as { threadId: number }).threadId).not.toBe(before.threadId)
})

test('a run that ignores its timeout is abandoned, and the others in its thread continue', async () => {
  const lost: string[] = []
  const probe = await openThreads(lost)
  const abort = new AbortController()
  const other = probe('hang', { timeoutMs: 60_000, signal: abort.signal })
  await expect(probe('ignore')).rejects.toMatchObject({ name: 'CallOverdue' })
  expect(lost).toHaveLength(1)
  abort.abort(new DOMException('The run was cancelled.', 'AbortError'))
  expect(await other).toMatchObject({ name: 'AbortError' })
})

test('a judge thread that is lost within the thread is reported', async () => {
  const lost: string[] = []
  await (await openThreads(lost))('loseJudge')
  expect(lost).toEqual(['judge: A judge thread was ended.'])
})
