// @slow waiting
import { expect, onTestFinished, test } from 'vitest'
import { memoryCoordination } from '../../../test/support/memory-coordination.ts'
import { StoreUnavailable } from '../../store/store.ts'
import { answerLeaderCalls, createLeaderCalls, type LeaderCall } from './leader-calls.ts'

const silence: LeaderCall = { name: 'silence', args: ['acme'] }

function place() {
  const { coordination, asked, answers } = memoryCoordination()
  const { calls } = coordination
  const failures: unknown[] = []
  const ended = new AbortController()
  onTestFinished(() => ended.abort())
  return {
    calls,
    asked,
    answers,
    failures,
    end: () => ended.abort(),
    ask: createLeaderCalls(calls).ask,
    lead: (run: (call: LeaderCall) => Promise<unknown>, of = calls) =>
      answerLeaderCalls({ calls: of, signal: ended.signal, run, version: () => 7, onFailure: (error) => void failures.push(error) }),
  }
}

test('a call is run once, however long it takes, and returns its value and the version that has its effect', async () => {
  const { ask, lead } = place()
  const run: LeaderCall[] = []
  void lead(async (call) => {
    run.push(call)
    await new Promise((resolve) => setTimeout(resolve, 1200))
    return { id: 's1' }
  })
  expect(await ask(silence)).toEqual({ value: { id: 's1' }, version: 7 })
  expect(run).toEqual([silence])
})

test('a call without a value returns null', async () => {
  const { ask, lead } = place()
  void lead(async () => {})
  expect(await ask(silence)).toEqual({ value: null, version: 7 })
})

test('a failed call is logged by the leader and rejected, with the public reason of an unavailable store', async () => {
  const { ask, lead, failures } = place()
  const problems = [new TypeError('a defect'), new StoreUnavailable('the disk', 5, { publicReason: 'The disk is full.' })]
  void lead(({ args }) => Promise.reject(problems[Number(args[0])]))
  const refused = (index: number) => ask({ name: 'silence', args: [index] }).catch((error) => error)
  const [defect, unavailable] = await Promise.all([refused(0), refused(1)])
  expect(defect).toBeInstanceOf(StoreUnavailable)
  expect([defect.publicReason, unavailable.publicReason]).toEqual(['The process that sends alerts failed to do this.', 'The disk is full.'])
  expect(failures.toSorted()).toEqual(problems.toSorted())
})

test('calls are answered again after the database was unavailable', async () => {
  const { ask, lead, calls, failures } = place()
  const away = new StoreUnavailable('away', 5)
  let reads = 0
  void lead(async () => 'done', { ...calls, unanswered: () => (reads++ === 0 ? Promise.reject(away) : calls.unanswered()) })
  expect(await ask(silence)).toMatchObject({ value: 'done' })
  expect(failures).toEqual([away])
})

test('a process that is no longer leader answers nothing', async () => {
  const { lead, end, calls, answers } = place()
  await calls.ask({ id: 'c1', body: JSON.stringify(silence) })
  await lead(async () => end())
  expect(answers.size).toBe(0)
})

test('up to twenty calls run at a time, and the others afterwards', async () => {
  const { lead, calls, answers } = place()
  for (let i = 0; i < 25; i++) await calls.ask({ id: `c${i}`, body: JSON.stringify(silence) })
  const held: (() => void)[] = []
  let reads = 0
  const unanswered = () => {
    reads++
    return calls.unanswered()
  }
  void lead(() => new Promise<void>((resolve) => held.push(resolve)), { ...calls, unanswered })
  await expect.poll(() => reads).toBe(3)
  expect(held).toHaveLength(20)
  for (const release of held.splice(0)) release()
  await expect.poll(() => held.length).toBe(5)
  for (const release of held) release()
  await expect.poll(() => answers.size).toBe(25)
})

test('up to fifty calls wait for the leader, and further ones are rejected at once', async () => {
  const { ask, lead } = place()
  const waiting = Array.from({ length: 50 }, () => ask(silence))
  await expect(ask(silence)).rejects.toThrow('No process that sends alerts has answered.')
  void lead(async () => 'done')
  expect(new Set((await Promise.all(waiting)).map(({ value }) => value))).toEqual(new Set(['done']))
  expect(await ask(silence)).toMatchObject({ value: 'done' })
})
