import { expect, onTestFinished, test, vi } from 'vitest'
import { account, testCatalogue, testCheck } from '../../test/support/catalogue.ts'
import { anyRunType } from '../../test/support/example-config.ts'
import { recordingLog } from '../../test/support/log.ts'
import { createAgentRegistry } from './agent-registry.ts'
import { createAgentTrials } from './agent-trials.ts'

const place = { account, location: 'eu' }
const check = testCheck(anyRunType(), { locations: ['eu'], agentLocations: ['eu'] })
const state = { clockOffsetMs: null, stampsServerTime: false, backlog: 0, agentDropped: 0, canary: null, canaryAgeMs: null }
const agent = (instance: string, version = '0.2.0', takesTrials = true) => ({
  ...{ instance, name: null, session: '1', version, protocol: 1, takesTrials },
  ...state,
})

function world() {
  const registry = createAgentRegistry({
    catalogue: testCatalogue({ checks: [check] }),
    now: Date.now,
    log: recordingLog(),
    configFile: 'tidemark.yaml',
    silentAfterMs: 15_000,
  })
  onTestFinished(registry.close)
  const trials = createAgentTrials<string>(registry, () => 1000)
  const abort = new AbortController()
  const run = () => trials.run(place, check, abort.signal)
  const given = async (instance: string) => (await registry.deal(place)).of(instance).trials ?? []
  return { registry, trials, run, abort, given, report: (...of: Parameters<typeof agent>) => registry.contact(place, agent(...of)) }
}

test('a trial is sent to an agent until it has a result, and visible only to its location', async () => {
  const { trials, run, given, report } = world()
  report('a')
  const running = run()
  const [{ id } = { id: '' }] = await given('a')
  expect(trials.waiting(place, id)).toBe(check)
  expect(trials.waiting({ ...place, account: 'another' }, id)).toBeUndefined()
  expect(trials.waiting({ ...place, location: 'us' }, id)).toBeUndefined()
  expect(trials.waiting(place, 'none')).toBeUndefined()
  trials.answer(id, 'passed')
  expect(await running).toEqual({ answer: 'passed' })
  expect([trials.waiting(place, id), await given('a')]).toEqual([undefined, []])
})

test('each trial goes to the agent with the fewest, and more than five per location are refused', async () => {
  const { run, abort, given, report } = world()
  report('a')
  report('b')
  const running = Array.from({ length: 5 }, run)
  expect([(await given('a')).length, (await given('b')).length].sort()).toEqual([2, 3])
  expect(await run()).toEqual({ busy: true })
  abort.abort()
  expect(await Promise.all(running)).toEqual(Array(5).fill({ aborted: true }))
  expect([...(await given('a')), ...(await given('b'))]).toEqual([])
  expect(await run()).toEqual({ aborted: true })
})

test('a location without agents, or with only outdated ones, is reported as such', async () => {
  const { run, report } = world()
  expect(await run()).toEqual({ noAgent: true })
  report('a', '0.1.0', false)
  report('b', '0.1.0', false)
  expect(await run()).toEqual({ tooOld: ['0.1.0'] })
})

test('an agent that stops loses its trials, unlike other agents', async () => {
  const { registry, trials, run, given, report } = world()
  report('a')
  const lost = run()
  report('b')
  const kept = run()
  registry.stop(place, agent('a'))
  expect(await lost).toEqual({ noAnswer: true })
  const [{ id } = { id: '' }] = await given('b')
  trials.answer(id, 'passed')
  expect(await kept).toEqual({ answer: 'passed' })
})

test('trials are counted and ended per location', async () => {
  const { registry, trials, run, abort, given, report } = world()
  report('a')
  const elsewhere = { ...place, location: 'us' }
  registry.contact(elsewhere, agent('b'))
  const full = Array.from({ length: 5 }, () => trials.run(elsewhere, check, abort.signal))
  const running = run()
  registry.stop(place, agent('a'))
  expect(await running).toEqual({ noAnswer: true })
  report('a')
  const again = run()
  registry.stop(elsewhere, agent('b'))
  expect(await Promise.all(full)).toEqual(Array(5).fill({ noAnswer: true }))
  const [{ id } = { id: '' }] = await given('a')
  trials.answer(id, 'passed')
  expect(await again).toEqual({ answer: 'passed' })
})

test('the timeout of a trial is the longest run of its check plus the transfer', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { run, report } = world()
  report('a')
  let ended: unknown = null
  const running = run().then((trial) => {
    ended = trial
  })
  await vi.advanceTimersByTimeAsync(15_999)
  expect(ended).toBeNull()
  await vi.advanceTimersByTimeAsync(1)
  await running
  expect(ended).toEqual({ noAnswer: true })
})
