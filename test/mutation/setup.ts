import { writeFileSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { afterAll, expect, inject } from 'vitest'

/** What a test file under mutation is to do: record which mutants it reaches, or run with one of them active. */
export type Assignment = { readonly recordIn: string } | { readonly active: number; readonly limitMs: number }

declare module 'vitest' {
  export interface ProvidedContext {
    mutation: Assignment
  }
}

const assignment = inject('mutation')
if ('recordIn' in assignment) record(assignment.recordIn)
else activate(assignment.active, assignment.limitMs)

function record(folder: string): void {
  const reached: boolean[] = []
  ask((id) => {
    reached[id] = true
    return false
  })
  afterAll(() => {
    const ids = Object.keys(reached).map(Number)
    writeFileSync(`${folder}/${process.pid}.json`, JSON.stringify({ file: expect.getState().testPath, reached: ids }))
  })
}

function activate(active: number, limitMs: number): void {
  ask((id) => id === active)
  endAfter(limitMs)
}

function ask(isActive: (id: number) => boolean): void {
  Object.assign(globalThis, { __mutation: isActive })
}

/** A thread of its own ends the process: an endless loop in the mutant would let no timer of this thread fire. */
function endAfter(limitMs: number): void {
  const source = `setTimeout(() => process.kill(process.pid, 'SIGKILL'), ${limitMs})`
  new Worker(source, { eval: true }).unref()
}
