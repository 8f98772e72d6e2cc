import { isDeepStrictEqual } from 'node:util'
import { isMapping } from '../../collections/mapping.ts'

type Definition = Readonly<Record<string, unknown>>

export type DefinitionsById = ReadonlyMap<string, Definition>

/** A changed setting by its path, such as `request.url`; undefined on the side that lacks it. */
type ChangedField = { readonly field: string; readonly before: unknown; readonly after: unknown }

export type Named = { readonly id: string; readonly definition: Definition }

export type Changes = {
  readonly added: readonly Named[]
  readonly changed: readonly (Named & { readonly fields: readonly ChangedField[] })[]
  readonly removed: readonly Named[]
  readonly unchanged: number
}

export const hasChanges = ({ added, changed, removed }: Changes) => added.length + changed.length + removed.length > 0

export function definitionChanges(before: DefinitionsById, after: DefinitionsById): Changes {
  const added = [...after].filter(([id]) => !before.has(id)).map(([id, definition]) => ({ id, definition }))
  const removed = [...before].filter(([id]) => !after.has(id)).map(([id, definition]) => ({ id, definition }))
  const changed = [...after].flatMap(([id, definition]) => {
    const known = before.get(id)
    const fields = known ? fieldChanges(known, definition, '') : []
    return fields.length > 0 ? [{ id, definition, fields }] : []
  })
  return { added, changed, removed, unchanged: after.size - added.length - changed.length }
}

/** Compares mappings field by field, and lists as a whole. */
function fieldChanges(before: Definition, after: Definition, prefix: string): readonly ChangedField[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return names.flatMap((name) => {
    const [old, next] = [before[name], after[name]]
    if (isDeepStrictEqual(old, next)) return []
    const field = `${prefix}${name}`
    return isMapping(old) && isMapping(next) ? fieldChanges(old, next, `${field}.`) : [{ field, before: old, after: next }]
  })
}
