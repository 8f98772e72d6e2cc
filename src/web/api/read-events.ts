import { createParser } from 'eventsource-parser'

export type StreamEvent = { readonly event?: string | undefined; readonly data: string }

type Handlers = {
  /** Called for any received bytes, including heartbeats. */
  onBytes(): void
  onEvent(event: StreamEvent): void
}

export async function readEvents({ body }: Response, { onBytes, onEvent }: Handlers): Promise<void> {
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader()
  const parser = createParser({ onEvent })
  for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read()) {
    onBytes()
    parser.feed(part.value)
  }
}
