import type { Position } from '../../store/store.ts'

/** Where an answer ended, as an opaque text. */
export function encodePageToken({ startedAt, runLocation, id }: Position): string {
  return Buffer.from(JSON.stringify([startedAt, runLocation, id])).toString('base64url')
}

/** Undefined for a text that we never wrote. */
export function decodePageToken(text: string): Position | undefined {
  const [startedAt, runLocation, id, ...more] = parsed(Buffer.from(text, 'base64url').toString())
  if (!Number.isSafeInteger(startedAt) || typeof runLocation !== 'string' || typeof id !== 'string' || more.length > 0) return undefined
  return { startedAt: Number(startedAt), runLocation, id }
}

function parsed(json: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(json)
    return Array.isArray(value) ? value : []
  } catch {
    return []
  }
}
