import { createHash } from 'node:crypto'
import type { CheckRef } from './store.ts'

/** The id of a result that came without one: a UUID made of its check, location and start, so that a retry is known again. */
export function derivedId({ account, checkId }: CheckRef, runLocation: string, startedAt: number): string {
  const hex = createHash('sha256')
    .update(JSON.stringify([account, checkId, runLocation, startedAt]))
    .digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
