import { setMaxListeners } from 'node:events'
import { type QuestionOptions, type Store, StoreUnavailable } from '../store.ts'
import { retryAfterSeconds } from './server-errors.ts'

type DeadlineOptions = { readonly deadlineMs?: number | undefined; readonly monotonic?: () => number }

/** Callers are answered before proxies give up, which is usually after a minute. */
const defaultDeadlineMs = 45_000

/** Work for a question listens to the signal of `ending`. */
type Question = { readonly ending: AbortController; readonly endsAt: number }

/**
 * Deadline per question, including all of its waits: a thread, a slow statement or many quick ones. Aborts what is in progress. Calls with
 * the same signal are one question.
 */
export function createQuestionDeadline({ deadlineMs = defaultDeadlineMs, monotonic = () => performance.now() }: DeadlineOptions = {}) {
  const bySignal = new WeakMap<AbortSignal, Question>()

  const newQuestion = (): Question => {
    const ending = new AbortController()
    // A question has many parts, each of which adds a listener.
    setMaxListeners(0, ending.signal)
    return { ending, endsAt: monotonic() + deadlineMs }
  }
  const questionOf = (signal: AbortSignal | undefined): Question => {
    const known = signal && bySignal.get(signal)
    if (known) return known
    const question = newQuestion()
    if (signal) bySignal.set(signal, question)
    return question
  }

  /** Runs work for a question until its deadline, or until the caller aborts. */
  async function until<T>({ ending, endsAt }: Question, caller: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    const leave = () => ending.abort(caller?.reason)
    if (caller?.aborted) leave()
    caller?.addEventListener('abort', leave, { once: true })
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        const problem = tookTooLong(deadlineMs)
        reject(problem)
        ending.abort(problem)
      }, endsAt - monotonic())
    })
    try {
      return await Promise.race([work(), late])
    } finally {
      clearTimeout(timer)
      caller?.removeEventListener('abort', leave)
    }
  }

  const limited =
    <Query, Options extends QuestionOptions, Answer>(ask: (query: Query, options?: Options & QuestionOptions) => Promise<Answer>) =>
    (query: Query, options?: Options): Promise<Answer> => {
      const question = questionOf(options?.signal)
      return until(question, options?.signal, () => ask(query, { ...(options as Options), signal: question.ending.signal }))
    }

  /** Each page has its own deadline: the total time depends on how fast the consumer reads. */
  async function* limitedScan(scan: Store['scan'], ...[check, window, options]: Parameters<Store['scan']>) {
    const { ending } = newQuestion()
    const pages = scan(check, window, { ...options, signal: ending.signal })[Symbol.asyncIterator]()
    for (;;) {
      const page = await until({ ending, endsAt: monotonic() + deadlineMs }, options?.signal, () => pages.next())
      if (page.done) return
      yield page.value
    }
  }

  return {
    limited,
    scan:
      (scan: Store['scan']): Store['scan'] =>
      (...asked) =>
        limitedScan(scan, ...asked),
  }
}

function tookTooLong(deadlineMs: number): StoreUnavailable {
  const publicReason = 'The results database does not answer in time.'
  return new StoreUnavailable(`A query took longer than ${deadlineMs / 1000} s.`, retryAfterSeconds, { publicReason })
}
