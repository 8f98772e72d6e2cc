/**
 * Normalizes a body to what the SDK for Go distinguishes: null, absent and empty are equal, and fields that exist only in requests or only
 * in responses are dropped.
 */
export function asGo(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? null : value.map(asGo)
  if (typeof value !== 'object' || value === null) return value || null
  const entries = Object.entries(value)
    .filter(([name]) => !notCompared.test(name))
    .map(([name, item]) => [name, asGo(item)] as const)
    .filter(([, item]) => item !== null)
  return entries.length === 0 ? null : Object.fromEntries(entries)
}

const notCompared = /^(edit|order|array.*|regex|secret|locked|id|created.*|updated.*)$/
