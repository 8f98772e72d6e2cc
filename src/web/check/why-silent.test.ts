import { expect, test } from 'vitest'
import { hourMs, minuteMs } from '../../time.ts'
import type { LocationEntry } from '../api/answers.ts'
import { whySilent } from './why-silent.ts'

const now = Date.UTC(2026, 10, 14, 10)
const at = (instant: number) => new Date(instant).toISOString()
const check = { activated: true, created_at: at(now - 5 * hourMs), frequency: 1, locations: ['eu'] }
const never = { lastCheckRunId: null, updated_at: at(now - 5 * hourMs) }
const asked = { check, status: never, pinged: false, locations: [], now }
const agent: LocationEntry['agents'][number] = {
  instance: 'i',
  name: 'probe-1',
  version: '1',
  state: 'live',
  firstContact: at(0),
  lastContact: at(now - 2 * hourMs),
  clockOffsetMs: null,
  stampsServerTime: false,
  backlog: 0,
  agentDropped: 0,
  canary: null,
  checks: 1,
}
const runBy = (by: LocationEntry['runBy'], agents: LocationEntry['agents'] = [], location = 'eu') => ({
  location,
  runBy: by,
  runsHere: by === 'server',
  checks: 1,
  agents,
})
const why = (more: Partial<Parameters<typeof whySilent>[0]>) => whySilent({ ...asked, ...more }).map((one) => one.why)

test('a paused check is reported as paused', () => {
  expect(why({ check: { ...check, activated: false } })).toEqual(['It is paused.'])
})

test('a job has not pinged yet, or not recently', () => {
  expect(why({ pinged: true })).toEqual(['No ping has arrived yet.'])
  expect(why({ pinged: true, status: { lastCheckRunId: 'x', updated_at: at(now - 3 * minuteMs) } })).toEqual([
    'The last ping arrived 3 min ago.',
  ])
})

test('a new check has its first run ahead', () => {
  expect(why({ check: { ...check, created_at: at(now - 20_000) } })).toEqual(['It was added 20 s ago.'])
})

test('for each of its locations it is stated who should run it', () => {
  expect(why({ locations: [runBy('none')] })).toEqual(['Nothing runs the checks at eu.'])
  expect(why({ locations: [runBy('agents')] })).toEqual(['No agent has reported from eu.'])
  expect(why({ locations: [runBy('agents', [{ ...agent, state: 'silent' }])] })).toEqual(['For 2 h no agent has reported from eu.'])
  expect(why({ locations: [runBy('agents', [agent])] })).toEqual(['The agent probe-1 runs the checks at eu.'])
  const both = [runBy('server'), runBy('none', [], 'us'), runBy('none', [], 'elsewhere')]
  expect(why({ check: { ...check, locations: ['eu', 'us'] }, locations: both })).toEqual([
    'Nothing runs the checks at us.',
    'The server runs the checks at eu.',
  ])
})

test('a server that runs no checks is reported as the reason', () => {
  const [reason] = whySilent({ ...asked, locations: [{ ...runBy('server'), runsHere: false }] })
  expect(reason?.why).toBe('This server does not run the checks at eu.')
  expect(reason?.next).toContain('--no-runner')
})

test.each<[string, Partial<Parameters<typeof whySilent>[0]>, string]>([
  ['is paused', { check: { ...check, activated: false } }, 'Resume it'],
  ['waits for a job', { pinged: true }, 'Call its URL from the job'],
  ['was just added', { check: { ...check, created_at: at(now - 20_000) } }, 'Its first run is expected by'],
  ['nobody runs', { locations: [runBy('none')] }, 'Start an agent there'],
  ['the server runs', { locations: [runBy('server')] }, 'Check its log'],
  ['a live agent runs', { locations: [runBy('agents', [agent])] }, 'Check the log of the agent'],
  ['an agent is behind with', { locations: [runBy('agents', [{ ...agent, backlog: 7 }])] }, '7 of its results are not delivered yet.'],
  ['no agent runs', { locations: [runBy('agents')] }, 'Start its agent, or check its log.'],
])('for a check that %s a hint is given', (_, more, next) => {
  expect(whySilent({ ...asked, ...more }).map((one) => one.next)).toEqual([expect.stringContaining(next)])
})

test('agents without a name are shown by instance, and the newest contact counts', () => {
  expect(why({ locations: [runBy('agents', [{ ...agent, name: null }])] })).toEqual(['The agent i runs the checks at eu.'])
  const silent = [3, 1, 2].map((hours): typeof agent => ({ ...agent, state: 'silent', lastContact: at(now - hours * hourMs) }))
  expect(why({ locations: [runBy('agents', silent)] })).toEqual(['For 1 h no agent has reported from eu.'])
})

test('a check is expected to run within a minute after it was first due, however often it runs', () => {
  const added = (agoMs: number, frequency: number) =>
    why({ check: { ...check, frequency, created_at: at(now - agoMs) }, locations: [runBy('none')] })
  const isNew = [expect.stringContaining('It was added')]
  expect(added(11 * minuteMs - 1, 10)).toEqual(isNew)
  expect(added(11 * minuteMs, 10)).toEqual(['Nothing runs the checks at eu.'])
  expect([added(2 * minuteMs - 1, 0.5), added(2 * minuteMs, 0.5)]).toEqual([isNew, ['Nothing runs the checks at eu.']])
  const ran = { lastCheckRunId: 'r', updated_at: at(now - hourMs) }
  expect(why({ check: { ...check, created_at: at(now) }, status: ran, locations: [runBy('none')] })).toEqual([
    'Nothing runs the checks at eu.',
  ])
})
