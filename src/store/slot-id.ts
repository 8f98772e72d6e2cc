import { hash } from 'node:crypto'
import type { CheckRef } from './check-ref.ts'

/**
 * The id of the result of a slot: a UUID (version 8) of the time of the slot and a hash of check and location. Whoever runs a slot makes
 * the same id, so that a slot that two processes ran is stored once.
 */
export function slotId({ account, checkId }: CheckRef, runLocation: string, slotAt: number): string {
  const time = Math.floor(slotAt).toString(16).padStart(12, '0')
  const hex = hash('sha256', JSON.stringify(['slot', account, checkId, runLocation]))
  return `${time.slice(0, 8)}-${time.slice(8)}-8${hex.slice(0, 3)}-a${hex.slice(3, 6)}-${hex.slice(6, 18)}`
}
