import { createParser } from 'eventsource-parser'
import { credentials } from './catalogue.ts'

export type Events = {
  readonly status: number
  readonly headers: Headers
  /** The events so far, except `open`, which only has an id. */
  readonly events: { readonly event: string; readonly id: string; readonly data: Readonly<Record<string, unknown>> }[]
  /** The last id received, with or without an event. */
  lastId(): string
  /** Whether the server has ended the stream. */
  ended(): boolean
  close(): void
}

/** Reads a stream of server-sent events in the background. */
export async function openEvents(url: string, headers: Readonly<Record<string, string>> = {}): Promise<Events> {
  const abort = new AbortController()
  const response = await fetch(url, { headers: { ...credentials, ...headers }, signal: abort.signal })
  const events: Events['events'] = []
  const position = { id: '', ended: false }
  const parser = createParser({
    onEvent: ({ event = 'message', id = '', data }) => {
      if (event !== 'open') events.push({ event, id, data: JSON.parse(data) })
    },
  })
  const read = async () => {
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      position.id = [...chunk.matchAll(/^id: (.*)$/gm)].at(-1)?.[1] ?? position.id
      parser.feed(chunk)
    }
    position.ended = true
  }
  if (response.ok) read().catch(() => {})
  return {
    status: response.status,
    headers: response.headers,
    events,
    lastId: () => position.id,
    ended: () => position.ended,
    close: () => abort.abort(),
  }
}
