import type { Log } from '../../src/runner/log.ts'

type Entry = { readonly level: keyof Log; readonly fields: object; readonly message: string }

/** A log that records its entries; `messages` are those of level info and above. */
export function recordingLog(): Log & { readonly entries: Entry[]; readonly messages: string[] } {
  const entries: Entry[] = []
  const messages: string[] = []
  const recordAt = (level: keyof Log) => (fields: object, message: string) => {
    entries.push({ level, fields, message })
    if (level !== 'debug') messages.push(message)
  }
  return { entries, messages, debug: recordAt('debug'), info: recordAt('info'), warn: recordAt('warn'), error: recordAt('error') }
}
