import { readEvents, type StreamEvent } from './read-events.ts'

/** One stream, from the attempt to open it to its end. */
export type LiveStream = {
  readonly query: string
  readonly startedAt: number
  isOpen(): boolean
  /** When the last byte arrived; before the first byte, when the stream was started. */
  receivedAt(): number
  /** Closes the stream without calling `onEnd`. */
  close(): void
}

type Options = {
  readonly query: string
  open(query: string, signal: AbortSignal): Promise<Response>
  onOpen(): void
  onEvent(event: StreamEvent): void
  /** Called with the error, or null at a regular end. */
  onEnd(fault: unknown): void
}

export function startStream({ query, open, onOpen, onEvent, onEnd }: Options): LiveStream {
  const abort = new AbortController()
  const startedAt = Date.now()
  let receivedAt = startedAt
  let isOpen = false
  const onBytes = () => {
    receivedAt = Date.now()
  }
  const read = async () => {
    const response = await open(query, abort.signal)
    isOpen = true
    onBytes()
    if (!abort.signal.aborted) onOpen()
    await readEvents(response, { onBytes, onEvent: (event) => abort.signal.aborted || onEvent(event) })
  }
  const end = (fault: unknown) => {
    if (!abort.signal.aborted) onEnd(fault)
  }
  read().then(() => end(null), end)
  return { query, startedAt, isOpen: () => isOpen, receivedAt: () => receivedAt, close: () => abort.abort() }
}
