import { setTimeout as sleep } from 'node:timers/promises'
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { lruCache } from '../../cache/cache.ts'
import { backoffMs, jittered } from '../../concurrency/backoff.ts'
import { CommandFailure } from '../context.ts'
import { certificateAdvice } from '../remote/certificate-advice.ts'
import { callServer, errorReply, type Remote } from '../remote/remote.ts'
import { missedChecks, missedResults } from './missed-results.ts'

type Following = {
  readonly remote: Remote
  readonly parameters: URLSearchParams
  readonly signal: AbortSignal
  /** Called with a message when the connection is lost or results were skipped. */
  readonly onTrouble: (message: string) => void
  readonly firstDelayMs?: number
}

const maxDelayMs = 30_000
/** The server sends something every 15 seconds, so longer silence means a lost connection. */
const silenceMs = 45_000

/** Ids kept for deduplication: results read after a reset may also arrive over the stream, before or after. */
const rememberedIds = 100_000

/**
 * Yields the data of each new result until the signal is aborted. Reconnects, resumes after the last event, and reads results that the
 * stream skipped.
 */
export async function* followResults({ firstDelayMs = 1000, ...following }: Following): AsyncGenerator<string> {
  const { signal, onTrouble } = following
  const isNew = createFilterOfSeen()
  let lastEventId: string | null = null
  let failures = 0
  while (!signal.aborted) {
    try {
      for await (const message of connection(following, lastEventId)) {
        failures = 0
        for await (const data of resultsOf(message, following)) if (isNew(data)) yield data
        lastEventId = message.id ?? lastEventId
      }
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof CommandFailure || lastEventId === null) throw lostAtStart(error, following.remote)
    }
    if (signal.aborted) return
    failures += 1
    const delayMs = backoffMs(failures, { firstMs: firstDelayMs, maxMs: maxDelayMs })
    onTrouble(`Connection lost. Reconnecting in ${Math.ceil(delayMs / 1000)} s.`)
    await sleep(jittered(delayMs), undefined, { signal }).catch(() => {})
  }
}

async function* resultsOf({ event, data }: EventSourceMessage, following: Following): AsyncGenerator<string> {
  if (event === 'result') yield data
  if (event !== 'reset') return
  const missed = missedChecks(data)
  if (missed) yield* missedResults(missed, following)
  else following.onTrouble('Some results were skipped: the server restarted, or the connection was lost for too long.')
}

function createFilterOfSeen(): (data: string) => boolean {
  const seen = lruCache<string, true>(rememberedIds)
  return (data) => {
    const { id } = JSON.parse(data) as { readonly id: string }
    if (seen.get(id)) return false
    seen.set(id, true)
    return true
  }
}

async function* connection({ remote, parameters, signal }: Following, lastEventId: string | null): AsyncGenerator<EventSourceMessage> {
  const silence = new AbortController()
  const timer = setTimeout(() => silence.abort(), silenceMs)
  try {
    const response = await callServer(remote, `/v1/check-results/stream?${parameters}`, {
      headers: { accept: 'text/event-stream', ...(lastEventId !== null && { 'last-event-id': lastEventId }) },
      signal: AbortSignal.any([signal, silence.signal]),
    })
    if (!response.ok || !response.body) throw await refusal(response, lastEventId !== null)
    const messages: EventSourceMessage[] = []
    const parser = createParser({ onEvent: (message) => messages.push(message) })
    for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
      timer.refresh()
      parser.feed(text)
      yield* messages.splice(0)
    }
  } finally {
    clearTimeout(timer)
  }
}

/** Why the server refused the connection. If it is busy or restarting, only a client that was connected before retries. */
async function refusal(response: Response, wasConnected: boolean): Promise<Error> {
  const isTemporary = response.status === 429 || response.status >= 500
  const failure = errorReply(response.status, await response.text())
  return isTemporary && wasConnected ? new Error(failure.message) : failure
}

function lostAtStart(error: unknown, { url }: Remote): unknown {
  if (error instanceof CommandFailure) return error
  return new CommandFailure(
    `No Tidemark server responds at ${url.href}. ${certificateAdvice(error) ?? 'Set its address with --url or TIDEMARK_URL.'}`,
  )
}
