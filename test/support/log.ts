import type { RunnerLog } from '../../src/runner/log.ts'

type Entry = { readonly level: keyof RunnerLog; readonly fields: object; readonly message: string }

/** A log that records its entries; `messages` has those of level info and above. */
export function recordingLog(): RunnerLog & { readonly entries: Entry[]; readonly messages: string[] } {
  const entries: Entry[] = []
  const messages: string[] = []
  const recordAt = (level: keyof RunnerLog) => (fields: object, message: string) => {
    entries.push({ level, fields, message })
    if (level !== 'debug') messages.push(message)
  }
  return { entries, messages, debug: recordAt('debug'), info: recordAt('info'), warn: recordAt('warn'), error: recordAt('error') }
}
