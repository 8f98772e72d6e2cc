import type { Fault } from '../api/answers.ts'
import { type Definition, type FieldPath, pointerOf, valueIn } from './definition.ts'
import type { FormField } from './form-model.ts'

/** A fault at the innermost form field that contains its pointer; the empty pointer is the whole form. */
export type PlacedFault = { readonly at: string; readonly message: string }

/** Assigns faults to the form's fields; `root` is the prefix of their pointers. */
export function placedFaults(
  faults: readonly Fault[],
  fields: readonly FormField[],
  definition: Definition,
  root = '',
): readonly PlacedFault[] {
  const pointers = new Set(fieldPointers(fields, definition, []))
  return faults.map(({ pointer, message }) => ({ at: nearest(withoutRoot(pointer, root), pointers), message }))
}

/** Whether a field, or one inside or around it, was changed. */
export function isTouched(at: string, touched: ReadonlySet<string>): boolean {
  return [...touched].some((pointer) => `${pointer}/`.startsWith(`${at}/`) || `${at}/`.startsWith(`${pointer}/`))
}

function withoutRoot(pointer: string, root: string): string {
  return pointer.startsWith(root) ? pointer.slice(root.length) : pointer
}

function nearest(pointer: string, pointers: ReadonlySet<string>): string {
  if (pointer === '' || pointers.has(pointer)) return pointer
  return nearest(pointer.slice(0, Math.max(0, pointer.lastIndexOf('/'))), pointers)
}

function fieldPointers(fields: readonly FormField[], definition: Definition, above: FieldPath): readonly string[] {
  return fields.flatMap((field) => {
    const path = [...above, field.name]
    const own = pointerOf(path)
    if (field.kind === 'group') return [own, ...fieldPointers(field.fields, definition, path)]
    if (field.kind !== 'rows') return [own]
    const rows = valueIn(definition, path)
    const count = Array.isArray(rows) ? rows.length : 0
    return [own, ...Array.from({ length: count }, (_, index) => [...path, index]).flatMap((row) => rowPointers(field, definition, row))]
  })
}

const rowPointers = ({ fields }: FormField, definition: Definition, row: FieldPath) => [
  pointerOf(row),
  ...fieldPointers(fields, definition, row),
]
