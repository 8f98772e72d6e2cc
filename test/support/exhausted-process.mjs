// Limits itself as its argument says, and prints what the built program then makes of a run, a suite, a call of the store and a canary.
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { reachesAny } from '../../dist/checks/probe/net/reach.js'
import { runInGroup } from '../../dist/checks/probe/playwright/process-group.js'
import { openProbeThreads } from '../../dist/checks/probe/probe-threads.js'
import { checkTypes } from '../../dist/checks/registry.js'
import { limitAdvice } from '../../dist/files/open-files.js'
import { singleWorker } from '../../dist/store/threads/worker.js'

const answerCalls = new URL('../../dist/threads/answer-calls.js', import.meta.url)
const ending = `import { answerCalls } from '${answerCalls}'; answerCalls(() => process.exit())`
const store = singleWorker(new URL(`data:text/javascript,${encodeURIComponent(ending)}`), null, { kind: 'writer' })
const messageOf = (call) =>
  call.then(
    () => null,
    (error) => error,
  )
await messageOf(store.call('end', []))

const openFiles = readdirSync('/proc/self/fd').length - 1
const limit = process.argv[2].replace('NOW', String(openFiles))
spawnSync('prlimit', ['--pid', String(process.pid), limit])

const signal = new AbortController().signal
const attempt = {
  checkType: checkTypes.find(({ heavy }) => !heavy),
  settings: {},
  key: 'acme/check',
  addresses: {},
  secrets: [],
  timeoutMs: 5000,
  signal,
}
const threads = openProbeThreads({ configDir: '.', chromium: null, env: {} })
const { exhausted } = await threads.probe(attempt)
const program = { command: process.execPath, args: [], cwd: '/', environment: {}, mark: 'mark', timeoutMs: 5000, signal, outputLimit: 100 }
const { code } = await messageOf(runInGroup(program))
const { name, message } = await messageOf(store.call('end', []))
/** Nothing listens there. */
const reached = await reachesAny(['127.0.0.1:1'], { allow: [], deny: [] }, signal)
process.stdout.write(JSON.stringify({ run: exhausted, advice: limitAdvice(exhausted), suite: code, store: `${name}: ${message}`, reached }))
process.exit()
