import { isDeepStrictEqual } from 'node:util'
import { isMapping, type Mapping } from '../../collections/mapping.ts'
import type { ReportLine } from './report.ts'

/**
 * A mapping of the input that tracks which fields were read. Unread fields are reported, so that none is lost silently. A field with the
 * default value of the other tool counts as absent.
 */
export type InputFields = {
  take(name: string): unknown
  /** Empty if the field is absent or not text; a number becomes text. */
  text(name: string): string
  number(name: string): number | null
  flag(name: string): boolean
  list(name: string): readonly unknown[]
  inside(name: string): InputFields
  /** Ignores fields that are not settings, such as positions. */
  skip(...names: readonly string[]): void
  /** Fields that were neither read nor skipped and do not have their default. */
  unread(): readonly string[]
}

export function fieldsOf(value: unknown, defaults: Mapping = {}): InputFields {
  const mapping: Mapping = isMapping(value) ? value : {}
  const known = new Set<string>()
  const children: { readonly name: string; readonly fields: InputFields }[] = []
  const take = (name: string): unknown => {
    known.add(name)
    return Object.hasOwn(mapping, name) ? mapping[name] : undefined
  }
  return {
    take,
    text: (name) => plainText(take(name)),
    number: (name) => numberOf(take(name)),
    flag: (name) => isOn(take(name)),
    list(name) {
      const found = take(name)
      return Array.isArray(found) ? found : []
    },
    inside(name) {
      const fields = fieldsOf(take(name), isMapping(defaults[name]) ? defaults[name] : {})
      children.push({ name, fields })
      return fields
    },
    skip(...names) {
      for (const name of names) known.add(name)
    },
    unread() {
      const own = Object.keys(mapping).filter((name) => !known.has(name) && !isUnset(mapping[name], defaults[name]))
      return [...own, ...children.flatMap(({ name, fields }) => fields.unread().map((field) => `${name}.${field}`))]
    },
  }
}

/** A report line for each unread field; `reasons` explains known fields. */
export function unreadLines(fields: InputFields, item: string, reasons: Readonly<Record<string, string>> = {}): readonly ReportLine[] {
  const known = new Map(Object.entries(reasons))
  const why = (field: string) => known.get(field) ?? 'Tidemark has no equivalent.'
  return fields.unread().map((field) => ({ item, field, outcome: 'lost', why: why(field) }))
}

export function plainText(value: unknown): string {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean' ? String(value) : ''
}

export function numberOf(value: unknown): number | null {
  const number = typeof value === 'string' && value.trim() === '' ? Number.NaN : Number(value ?? Number.NaN)
  return typeof value === 'object' || !Number.isFinite(number) ? null : number
}

const isOn = (value: unknown) => value === true || value === 1 || value === 1n || value === 'true' || value === '1'

function isUnset(value: unknown, byDefault: unknown): boolean {
  if (value === null || value === undefined || value === '') return true
  if (byDefault !== undefined) return isDeepStrictEqual(value, byDefault) || (typeof byDefault === 'boolean' && isOn(value) === byDefault)
  if (value === false || value === 0) return true
  return (Array.isArray(value) || isMapping(value)) && Object.keys(value).length === 0
}
