import { uuidOf } from '../ids/uuid.ts'
import type { CheckRef } from './store.ts'

/** The id of a result that came without one: a UUID made of its check, location and start, so that a retry is recognized. */
export function derivedId({ account, checkId }: CheckRef, runLocation: string, startedAt: number): string {
  return uuidOf([account, checkId, runLocation, startedAt])
}
