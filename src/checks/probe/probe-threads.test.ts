import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { checkTypeOf, passed } from '../../../test/support/checks.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import type { ProbeAttempt } from './probe.ts'
import { openProbeThreads } from './probe-threads.ts'

/** Does what the settings of a check say. */
const thread = `
  import { threadId } from 'node:worker_threads'
  const hanging = new Map()
  const acts = {
    echo: (sent) => ({ ...sent, threadId }),
    hang: ({ id }) => new Promise((resolve) => hanging.set(id, resolve)),
    throw: () => { throw new RangeError('no such header') },
    crash: () => new Promise(() => setTimeout(() => { throw new Error('socket exploded') })),
  }
  export const run = (sent) => acts[sent.settings.name](sent)
  export const abort = ({ id, ...reason }) => hanging.get(id)?.(reason)`

function openThreads() {
  const file = join(temporaryFolder(), 'thread.mjs')
  writeFileSync(file, thread)
  const threads = openProbeThreads({ configDir: '/', chromium: null, env: {} }, pathToFileURL(file))
  onTestFinished(() => threads.close())
  return (name: string, more: Partial<ProbeAttempt> = {}): Promise<unknown> => {
    const { signal } = new AbortController()
    const checkType = checkTypeOf(async () => passed)
    const attempt = { checkType, settings: { name }, key: name, timeoutMs: 1000, secrets: [], addresses: { allow: [], deny: [] }, signal }
    return threads.probe({ ...attempt, ...more })
  }
}

test('a run is sent as plain data to one thread, and one of a heavy type to another', async () => {
  const probe = openThreads()
  const [first, second] = [await probe('echo'), await probe('echo')] as { threadId: number }[]
  const heavy = (await probe('echo', { checkType: checkTypeOf(async () => passed, true) })) as { threadId: number }
  expect(first).toMatchObject({ type: 'TEST', settings: { name: 'echo' }, timeoutMs: 1000, addresses: { allow: [], deny: [] } })
  expect(second?.threadId).toBe(first?.threadId)
  expect(heavy.threadId).not.toBe(first?.threadId)
})

test('an abort reaches its own run alone, with its reason', async () => {
  const probe = openThreads()
  const [aborted, other] = [new AbortController(), new AbortController()]
  const runs = [probe('hang', { signal: aborted.signal }), probe('hang', { signal: other.signal })]
  aborted.abort(new DOMException('The run timed out.', 'TimeoutError'))
  expect(await runs[0]).toEqual({ name: 'TimeoutError', message: 'The run timed out.' })
  other.abort(new DOMException('The run was cancelled.', 'AbortError'))
  expect(await runs[1]).toEqual({ name: 'AbortError', message: 'The run was cancelled.' })
})

test('a run that is aborted before it starts hears of it', async () => {
  const signal = AbortSignal.abort(new DOMException('The run was cancelled.', 'AbortError'))
  expect(await openThreads()('hang', { signal })).toMatchObject({ name: 'AbortError' })
})

test('what a run throws rejects, and the thread goes on', async () => {
  const probe = openThreads()
  const before = (await probe('echo')) as { threadId: number }
  await expect(probe('throw')).rejects.toThrow('no such header')
  expect(await probe('echo')).toMatchObject({ threadId: before.threadId })
})

test('a thread that dies fails the runs in it, and the next run has another', async () => {
  const probe = openThreads()
  const runs = await Promise.allSettled([probe('hang'), probe('crash')])
  expect(runs.map((run) => run.status === 'rejected' && run.reason.message)).toEqual(['socket exploded', 'socket exploded'])
  expect(await probe('echo')).toMatchObject({ type: 'TEST' })
})
