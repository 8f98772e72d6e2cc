import { hash } from 'node:crypto'
import type { CheckRef } from '../ids/check-ref.ts'

/**
 * The id of the result of a slot: a UUID (version 8) of the slot's time and a hash of check and location. All runs of a slot have the same
 * id, so that a slot that two processes ran is stored once.
 */
export function slotId({ account, checkId }: CheckRef, runLocation: string, slotAt: number): string {
  const hex = hash('sha256', JSON.stringify(['slot', account, checkId, runLocation]))
  return formatSlotId({ slotAt: Math.floor(slotAt), rest: `-8${hex.slice(0, 3)}-a${hex.slice(3, 6)}-${hex.slice(6, 18)}` })
}

/** A parsed slot id: the time of the slot, and the rest, which all slots of a check and location share. */
export type SlotId = { readonly slotAt: number; readonly rest: string }

const form = /^([0-9a-f]{8})-([0-9a-f]{4})(-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12})$/

/** Null if the id does not have the form of a slot id. */
export function parseSlotId(id: string): SlotId | null {
  const [, high, low, rest] = form.exec(id) ?? []
  return rest === undefined ? null : { slotAt: Number.parseInt(`${high}${low}`, 16), rest }
}

export function formatSlotId({ slotAt, rest }: SlotId): string {
  const time = slotAt.toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}${rest}`
}
