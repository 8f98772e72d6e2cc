export type Mapping = Readonly<Record<string, unknown>>

export function isMapping(value: unknown): value is Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Empty if the value is not a list. */
export const listOrNone = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
