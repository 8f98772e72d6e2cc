import { appendFileSync } from 'node:fs'
import { isMainThread, Worker } from 'node:worker_threads'

// Preloaded into the processes and threads that tests start: activates the mutant of the test, or records the mutants that they reach.
const { MUTATION_ACTIVE, MUTATION_RECORD, MUTATION_LIMIT_MS } = process.env
if (MUTATION_ACTIVE) {
  const active = Number(MUTATION_ACTIVE)
  globalThis.__mutation = (id) => id === active
  if (isMainThread) endAfter(MUTATION_LIMIT_MS)
} else if (MUTATION_RECORD) {
  const seen = []
  globalThis.__mutation = (id) => {
    if (!seen[id]) appendFileSync(MUTATION_RECORD, `${id}\n`)
    seen[id] = true
    return false
  }
}

// A function that is passed on as text contains its active mutant.
const textOf = Function.prototype.toString
Function.prototype.toString = function () {
  return textOf.call(this).replace(/globalThis\.__mutation\?\.\((\d+)\)/g, (_, id) => `${globalThis.__mutation?.(Number(id)) ?? false}`)
}

/** A separate thread kills the process: an endless loop in the mutant would block timers of this thread. */
function endAfter(limitMs) {
  new Worker(`setTimeout(() => process.kill(process.pid, 'SIGKILL'), ${limitMs})`, { eval: true }).unref()
}
