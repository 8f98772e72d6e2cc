import type { Position } from '../../store/store.ts'

/** The position after a page of results, as an opaque token. */
export function encodePageToken({ startedAt, runLocation, id }: Position): string {
  return Buffer.from(JSON.stringify([startedAt, runLocation, id])).toString('base64url')
}

/** Undefined for a text that is no token of ours. */
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
