import { hash } from 'node:crypto'

/** A deterministic UUID (version 8): a hash of the parts. */
export function uuidOf(parts: readonly (string | number)[]): string {
  const hex = hash('sha256', JSON.stringify(parts))
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
