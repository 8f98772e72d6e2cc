import { expect, test } from 'vitest'
import { testCheck } from '../../test/support/catalogue.ts'
import { checkTypeOf, passed } from '../../test/support/checks.ts'
import { recordingLog } from '../../test/support/log.ts'
import { testResult } from '../../test/support/results.ts'
import { type Assignment, type SentTrial, toAgent } from '../locations/protocol.ts'
import type { Trial } from '../runner/trial-runs.ts'
import { decodeEvidence } from '../store/evidence.ts'
import { createTrialRunner } from './run-trials.ts'

const checkType = checkTypeOf(async () => passed)
const check = testCheck(checkType, { id: 'tried', locations: ['eu'] })
const trial = (id: string, type = checkType.type): SentTrial => ({
  id,
  check: { ...toAgent(check, { since: null, scripts: null, settings: check.settings }), type },
})
const assignment = (...trials: readonly SentTrial[]) =>
  ({ account: check.account, evidence: { mode: 'none', evidenceBytes: 10_000, screenshotBytes: 0 }, trials }) as unknown as Assignment

function trying(outcome: Trial, status = 204) {
  const log = recordingLog()
  const sent: { path: string; body: Record<string, unknown> }[] = []
  const send = async (path: string, { body }: { body?: string | null } = {}) => {
    sent.push({ path, body: JSON.parse(body ?? '') })
    return { status, body: '{"message": "There is no such trial."}', headers: new Headers() }
  }
  const runs: string[] = []
  const run = async ({ id }: { id: string }) => {
    runs.push(id)
    return outcome
  }
  const tryOut = createTrialRunner({ connection: { send }, run, checkTypes: [checkType], log, signal: new AbortController().signal })
  const take = async (next: Assignment) => {
    tryOut(next)
    await new Promise(setImmediate)
  }
  return { log, sent, runs, take }
}

const { result } = testResult(check, Date.UTC(2026, 10, 14))
const attempt = { startedAt: result.startedAt, error: null, assertions: [], response: null, steps: [], messages: ['redirected'] }
const ran: Trial = { result: { ...result, id: 'run' }, evidence: { attempts: [attempt], screenshot: null } }

test('the outcome of a trial is sent with its evidence, also where the checks of the location keep none', async () => {
  const { take, sent } = trying(ran)
  await take(assignment(trial('one')))
  expect(sent).toMatchObject([{ path: 'v1/agents/trials/one', body: { result: { checkId: 'tried', id: 'run', attempts: 1 } } }])
  const [evidence] = sent.map(({ body }) => (body.result as { evidence: string }).evidence)
  expect(decodeEvidence(new Uint8Array(Buffer.from(evidence ?? '', 'base64')))).toEqual(ran.evidence)
})

test.each<[string, Trial, SentTrial, unknown[]]>([
  ['there are too many', { busy: true }, trial('one'), [{ problem: 'too many trials are in progress' }]],
  ['the machine lacks something', { notMade: 'too many open files' }, trial('one'), [{ problem: 'too many open files' }]],
  ['its type is not known', ran, trial('one', 'TELEPATHY'), [{ problem: 'this agent version does not support its settings' }]],
  ['the agent stops', { aborted: true }, trial('one'), []],
])('a trial that is not run because %s has the reason as its outcome, if any', async (_, outcome, given, bodies) => {
  const { take, sent, log } = trying(outcome)
  await take(assignment(given))
  expect([sent.map(({ body }) => body), log.messages]).toEqual([bodies, []])
})

test('a trial is run once, however often it is assigned, and each new one too', async () => {
  const { take, sent, runs } = trying(ran)
  for (const ids of [['one'], ['one', 'two'], ['two'], []]) await take(assignment(...ids.map((id) => trial(id))))
  await take({ ...assignment(), trials: undefined } as unknown as Assignment)
  expect([sent.map(({ path }) => path), runs.length]).toEqual([['v1/agents/trials/one', 'v1/agents/trials/two'], 2])
})

test('an outcome that the server does not take is logged', async () => {
  const { take, log } = trying(ran, 404)
  await take(assignment(trial('one')))
  expect(log.entries).toMatchObject([{ level: 'warn', fields: { reason: 'The server returned 404: There is no such trial.' } }])
})
