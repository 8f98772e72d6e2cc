import { createParser } from 'eventsource-parser'

export type StreamEvent = { readonly event?: string | undefined; readonly data: string }

type Handlers = {
  /** Anything at all was sent, such as a heartbeat. */
  onBytes(): void
  onEvent(event: StreamEvent): void
}

/** Reads a stream of server-sent events until it ends. */
export async function readEvents({ body }: Response, { onBytes, onEvent }: Handlers): Promise<void> {
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader()
  const parser = createParser({ onEvent })
  for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read()) {
    onBytes()
    parser.feed(part.value)
  }
}
