import { hourMs } from '../../time.ts'
import type { Check } from '../api/answers.ts'
import { elapsed } from '../view/elapsed.ts'
import { instantText } from '../view/time.tsx'

/** A change within this time before a failure may be its cause. */
const suspectMs = hourMs

/** When the definition of a check was last changed, relative to the start of the failure. */
export function definitionChange({ created_at, updated_at }: Pick<Check, 'created_at' | 'updated_at'>, since: number | null): string {
  const [created, updated] = [Date.parse(created_at), Date.parse(updated_at)]
  if (updated <= created) return `not changed since it was added, ${instantText(created)}`
  if (since === null) return `last changed ${instantText(updated)}`
  if (updated > since) return `changed since then, ${instantText(updated)}`
  return since - updated < suspectMs ? `changed ${elapsed(since - updated)} before` : `not changed since ${instantText(updated)}`
}
