// @slow
import { expect, onTestFinished, test } from 'vitest'
import { alertRule } from '../../../test/support/alert-world.ts'
import { importBuilt } from '../../../test/support/built.ts'
import { account, testCheck } from '../../../test/support/catalogue.ts'
import { noon } from '../../../test/support/channels.ts'
import { anyRunType } from '../../../test/support/example-config.ts'
import { testResult } from '../../../test/support/results.ts'
import { temporaryFolder } from '../../../test/support/temporary-folder.ts'
import { noPolicies } from '../../catalogue/policies/policies.ts'
import { createEmbeddedStore } from '../../store/embedded/embedded-store.ts'
import { noHistory } from '../outbox/alert-history.ts'
import { replayDeadline, replayQuestion, replayReport } from './replay-report.ts'

const minute = 60_000

/** A day of results of two checks that sometimes fail; their store stays open. */
async function open() {
  const directory = temporaryFolder()
  const store = await createEmbeddedStore({ directory, workers: 0, clock: () => noon })
  const checks = ['shop', 'bank'].map((id) =>
    testCheck(anyRunType(), { id, name: id, locations: ['here'], everyMs: minute, secrets: ['S3CRET'] }),
  )
  const results = checks.flatMap((check, place) =>
    Array.from({ length: 1440 }, (_, i) => {
      const hasFailures = (i + place * 30) % 120 < 3
      const more = { runLocation: 'here', hasFailures, error: hasFailures ? `status ${500 + place}` : null }
      return testResult(check, noon - (1440 - i) * minute, more)
    }),
  )
  await store.append(results)
  const { openReplayThread } = await importBuilt<typeof import('./replay-in-thread.ts')>('alerts/replay/replay-in-thread.ts')
  const thread = openReplayThread({ directory })
  onTestFinished(async () => {
    await thread.close()
    await store.close()
  })
  const channels = [{ id: 'chat', type: 'webhook', settings: { url: 'http://127.0.0.1:9/S3CRET' }, secrets: ['S3CRET'] }]
  const policies = { ...noPolicies, channels, alerts: [alertRule({ after: { runs: 2 } })] }
  const owner = { id: account, name: account }
  const window = { from: noon - 1440 * minute, to: noon }
  return { thread, store, question: replayQuestion({ account: owner, policies, checks, window, rule: null, limit: 1000 }) }
}

test('a thread replays stored results like the same code in this one, and receives no secrets', async () => {
  const { thread, store, question } = await open()
  const report = await thread.replay(question, new AbortController().signal)
  expect(report).toEqual(await replayReport(question, { store, history: () => noHistory }, replayDeadline()))
  expect(report.count).toBe(48)
  expect(JSON.stringify(question)).not.toContain('S3CRET')
})

test('a replay is aborted with its request, and the next one is answered', async () => {
  const { thread, question } = await open()
  const left = new AbortController()
  const first = thread.replay(question, left.signal)
  const second = thread.replay(question, new AbortController().signal)
  left.abort(new Error('gone'))
  await expect(first).rejects.toThrow('gone')
  expect((await second).count).toBe(48)
})
