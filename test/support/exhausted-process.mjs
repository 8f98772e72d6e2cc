// node exhausted-process.mjs LIMIT FOLDER: sets a resource limit for itself, then prints how the program built in the folder reports a run,
// a suite, a store call and a canary.
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'

const module = (path) => new URL(path, `file://${process.argv[3]}/dist/`)
const { reachesAny } = await import(module('checks/probe/net/reach.js'))
const { runInGroup } = await import(module('checks/probe/playwright/process-group.js'))
const { openProbeThreads } = await import(module('checks/probe/probe-threads.js'))
const { checkTypes } = await import(module('checks/registry.js'))
const { limitAdvice } = await import(module('files/open-files.js'))
const { singleWorker } = await import(module('store/threads/worker.js'))

const answerCalls = module('threads/answer-calls.js')
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
/** Nothing listens at this address. */
const reached = await reachesAny(['127.0.0.1:1'], { allow: [], deny: [] }, signal)
process.stdout.write(JSON.stringify({ run: exhausted, advice: limitAdvice(exhausted), suite: code, store: `${name}: ${message}`, reached }))
process.exit()
