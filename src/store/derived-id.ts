import { uuidOf } from '../ids/uuid.ts'
import type { CheckRef } from './store.ts'

/** The id of a result that was sent without one: a UUID derived from its check, location and start, so that a retry is a duplicate. */
export function derivedId({ account, checkId }: CheckRef, runLocation: string, startedAt: number): string {
  return uuidOf([account, checkId, runLocation, startedAt])
}
