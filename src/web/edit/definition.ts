import type { FormField } from './form-model.ts'

/** A check as an entry of `checks:`. */
export type Definition = Readonly<Record<string, unknown>>
export type FieldPath = readonly (string | number)[]

export function pointerOf(path: FieldPath): string {
  return path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

export function valueIn(value: unknown, path: FieldPath): unknown {
  return path.reduce<unknown>((part, step) => (part as Record<string | number, unknown> | null | undefined)?.[step], value)
}

/** Replaces the value at a path. Undefined removes it and closes the gap in a list. */
export function withValue(definition: Definition, path: FieldPath, next: unknown): Definition {
  return changed(definition, path, next) as Definition
}

function changed(value: unknown, [step, ...rest]: FieldPath, next: unknown): unknown {
  if (step === undefined) return next
  if (Array.isArray(value) || (value === undefined && typeof step === 'number')) {
    const list: readonly unknown[] = Array.isArray(value) ? value : []
    const item = changed(list[Number(step)], rest, next)
    return item === undefined ? list.toSpliced(Number(step), 1) : list.toSpliced(Number(step), 1, item)
  }
  const { [step]: before, ...others } = (value ?? {}) as Record<string | number, unknown>
  const item = changed(before, rest, next)
  if (item === undefined) return others
  return before === undefined ? { ...others, [step]: item } : { ...(value as object), [step]: item }
}

/** The definition to send: drops empty groups and mappings, but adds groups that a check requires. */
export function cleaned(definition: Definition, fields: readonly FormField[]): Definition {
  const entries = Object.entries(definition).flatMap(([name, value]): (readonly [string, unknown])[] => {
    const field = fields.find((one) => one.name === name)
    if (field === undefined || !isObject(value)) return [[name, value]]
    const own = field.kind === 'group' ? cleaned(value, field.fields) : value
    return Object.keys(own).length === 0 && !field.isNeeded ? [] : [[name, own]]
  })
  const missing = fields.filter(({ name, kind, isNeeded }) => isNeeded && kind === 'group' && definition[name] === undefined)
  return { ...Object.fromEntries(entries), ...Object.fromEntries(missing.map(({ name }) => [name, {}])) }
}

export function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other))
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isObject(value)) return value
  const names = Object.keys(value).toSorted()
  return names.map((name) => [name, sorted(value[name])])
}

type Difference = { readonly pointer: string; readonly before: unknown; readonly after: unknown }

/** The differences between two definitions, by JSON pointer. Lists are compared as a whole. */
export function differences(before: unknown, after: unknown, path: FieldPath = []): readonly Difference[] {
  if (isSame(before, after)) return []
  if (!isObject(before) || !isObject(after)) return [{ pointer: pointerOf(path), before, after }]
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return names.flatMap((name) => differences(before[name], after[name], [...path, name]))
}

function isObject(value: unknown): value is Definition {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
