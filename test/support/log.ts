import type { Log } from '../../src/runner/log.ts'

/** A log that records its messages. */
export function recordingLog(): Log & { readonly messages: string[] } {
  const messages: string[] = []
  const record = (_: object, message: string) => {
    messages.push(message)
  }
  return { messages, info: record, warn: record, error: record }
}
