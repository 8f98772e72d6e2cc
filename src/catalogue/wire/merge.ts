import { isDeepStrictEqual } from 'node:util'
import { isMapping } from '../config-file/structure.ts'

type Mapping = Readonly<Record<string, unknown>>

/**
 * What was sent, in the words of `written` wherever it says the same: `base` is what `written` alone would be read as. So a body may
 * change what it has, and keeps what it has no place for.
 */
export function mergeWritten(sent: Mapping, base: Mapping | null, written: Mapping): Mapping {
  const names = [...new Set([...Object.keys(written), ...Object.keys(sent)])]
  const merged = names.map((name) => [name, mergedValue(sent[name], base === null ? undefined : base[name], written[name])] as const)
  return Object.fromEntries(merged.filter(([, value]) => value !== undefined))
}

function mergedValue(sent: unknown, base: unknown, written: unknown): unknown {
  if (isDeepStrictEqual(sent, base)) return written
  return isMapping(sent) && isMapping(base) && isMapping(written) ? mergeWritten(sent, base, written) : sent
}

/** Texts that were sent as answers show them are what they stand for. */
export function keepSecrets(sent: Mapping, shown: Mapping, written: Mapping): Mapping {
  return kept(sent, shown, written) as Mapping
}

function kept(sent: unknown, shown: unknown, written: unknown): unknown {
  if (typeof sent === 'string') return sent === shown && typeof written === 'string' ? written : sent
  if (typeof sent !== 'object' || sent === null) return sent
  const part = (value: unknown, name: string) => (typeof value === 'object' && value !== null ? (value as Mapping)[name] : undefined)
  const parts = Object.entries(sent).map(([name, item]) => [name, kept(item, part(shown, name), part(written, name))] as const)
  return Array.isArray(sent) ? parts.map(([, item]) => item) : Object.fromEntries(parts)
}
