import { type WireNotes, type WireReader, wireReader } from '../../src/checks/wire-reader.ts'

/** The value read from a body, and all faults, including those of unread fields. */
export function wireReading<Value>(body: unknown, read: (reader: WireReader) => Value) {
  const notes: WireNotes = { faults: [] }
  const reader = wireReader(body, notes)
  const value = read(reader)
  reader.end()
  return { value, faults: notes.faults.map(({ pointer, message }) => `${pointer}: ${message}`), braces: notes.braces }
}
