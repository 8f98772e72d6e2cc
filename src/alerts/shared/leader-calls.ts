import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CallStore } from '../../store/coordination.ts'
import { StoreUnavailable } from '../../store/store.ts'

export type LeaderCall = { readonly name: string; readonly args: readonly unknown[] }
type Answer = { readonly value: unknown; readonly version: number } | { readonly failure: string }

const pollMs = 500
const waitMs = 15_000
const maxWaiting = 50
const answeredAtOnce = 20

/** Calls the leader through the database. */
export function createLeaderCalls(calls: CallStore) {
  let waiting = 0
  async function answerTo(id: string): Promise<Answer> {
    const end = performance.now() + waitMs
    while (performance.now() < end) {
      await sleep(pollMs)
      const answer = await calls.answerTo(id)
      if (answer !== null) return JSON.parse(answer) as Answer
    }
    throw unanswered()
  }
  return {
    /** Returns the answer, and the version that a replica must reach to see its effect. */
    async ask(call: LeaderCall): Promise<{ readonly value: unknown; readonly version: number }> {
      if (waiting >= maxWaiting) throw unanswered()
      waiting++
      try {
        const id = randomUUID()
        await calls.ask({ id, body: JSON.stringify(call) })
        const answer = await answerTo(id)
        if ('failure' in answer) throw new StoreUnavailable(answer.failure, 5, { publicReason: answer.failure })
        return answer
      } finally {
        waiting--
      }
    },
  }
}

const unanswered = () =>
  new StoreUnavailable('No process that sends alerts has answered.', 5, {
    publicReason: 'The process that sends alerts did not answer. Try again in a few seconds.',
  })

type AnswerOptions = {
  readonly calls: CallStore
  readonly signal: AbortSignal
  readonly run: (call: LeaderCall) => Promise<unknown>
  /** The version of the rows that were written last. */
  readonly version: () => number
  readonly onFailure: (error: unknown) => void
}

/** Answers calls of other processes while this one leads. */
export async function answerLeaderCalls({ calls, signal, run, version, onFailure }: AnswerOptions): Promise<void> {
  const taken = new Set<string>()
  async function answer(id: string, body: string): Promise<void> {
    const answered: Answer = await run(JSON.parse(body) as LeaderCall).then(
      (value) => ({ value: value ?? null, version: version() }),
      (error) => {
        onFailure(error)
        return { failure: (error instanceof StoreUnavailable && error.publicReason) || 'The process that sends alerts failed to do this.' }
      },
    )
    if (!signal.aborted) await calls.answer({ id, body: JSON.stringify(answered) })
  }
  while (!signal.aborted) {
    try {
      const open = await calls.unanswered()
      for (const id of taken) if (!open.some((call) => call.id === id)) taken.delete(id)
      for (const { id, body } of open) {
        if (taken.has(id) || taken.size >= answeredAtOnce || signal.aborted) continue
        taken.add(id)
        void answer(id, body).catch(onFailure)
      }
    } catch (error) {
      onFailure(error)
    }
    await sleep(pollMs, undefined, { signal, ref: false }).catch(() => {})
  }
}
