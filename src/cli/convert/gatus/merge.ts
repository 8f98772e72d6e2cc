import { isDeepStrictEqual } from 'node:util'
import type { ConversionDraft } from '../draft.ts'
import { isRecord } from '../fields.ts'

/** Files as one: mappings are merged, lists appended, and any other value may stand in one of them only. */
export function mergedFiles(values: readonly unknown[], draft: ConversionDraft): unknown {
  const merged = (one: unknown, other: unknown, path: string): unknown => {
    if (one === undefined || one === null) return other
    if (other === undefined || other === null) return one
    if (Array.isArray(one) && Array.isArray(other)) return [...one, ...other]
    if (isRecord(one) && isRecord(other)) {
      const names = new Set([...Object.keys(one), ...Object.keys(other)])
      return Object.fromEntries(
        [...names].map((name) => [name, merged(own(one, name), own(other, name), path === '' ? name : `${path}.${name}`)]),
      )
    }
    if (!isDeepStrictEqual(one, other))
      draft.tell({ item: 'the files', field: path, outcome: 'lost', why: 'Two files have different values: the first is kept.' })
    return one
  }
  return values.reduce<unknown>((all, value) => merged(all, value, ''), undefined)
}

const own = (mapping: Readonly<Record<string, unknown>>, name: string) => (Object.hasOwn(mapping, name) ? mapping[name] : undefined)
