import { isMapping } from '../../collections/mapping.ts'
import { type Finding, must, type Path, pathText } from './faults.ts'

type Scalar = string | number | boolean
/** The values of one check of a `forEach`, by name. */
export type EachValues = Readonly<Record<string, Scalar>>

type Combinations = { readonly each: readonly EachValues[] } | { readonly findings: readonly Finding[] }

/** Checks per `forEach`. */
const maxCombinations = 10_000
/** A check can repeat a value many times. */
const maxLength = 1000
const name = /^[A-Za-z_][A-Za-z0-9_]*$/

/** Accepts a list of mappings with the values of one check each, or a mapping of lists, which gives all combinations. */
export function combinationsOf(given: unknown, path: Path): Combinations {
  const isList = Array.isArray(given) && given.length > 0 && given.every(isMapping)
  const lists = isMapping(given) ? Object.entries(given) : []
  const isProduct = lists.length > 0 && lists.every(([, list]) => Array.isArray(list) && list.length > 0)
  if (!isList && !isProduct)
    return {
      findings: [must(path, 'a list of mappings such as [{ host: a }, { host: b }], or a mapping of lists such as { host: [a, b] }')],
    }
  const count = isList ? given.length : lists.reduce((product, [, list]) => product * (list as readonly unknown[]).length, 1)
  if (count > maxCombinations) return { findings: [must(path, 'for at most 10,000 checks')] }
  const each = isList ? (given as readonly EachValues[]) : product(lists as readonly (readonly [string, readonly Scalar[]])[])
  const findings = isList ? given.flatMap((values, index) => valueFindings(values, [...path, index])) : productFindings(lists, path)
  return findings.length > 0 ? { findings } : { each }
}

function product(lists: readonly (readonly [string, readonly Scalar[]])[]): readonly EachValues[] {
  return lists.reduce<readonly EachValues[]>(
    (combined, [key, values]) => combined.flatMap((one) => values.map((value) => ({ ...one, [key]: value }))),
    [{}],
  )
}

function productFindings(lists: readonly (readonly [string, unknown])[], path: Path): readonly Finding[] {
  return lists.flatMap(([key, list]) =>
    (list as readonly unknown[]).flatMap((value, index) => scalarFindings(key, value, [...path, key, index])),
  )
}

function valueFindings(values: Readonly<Record<string, unknown>>, path: Path): readonly Finding[] {
  return Object.entries(values).flatMap(([key, value]) => scalarFindings(key, value, [...path, key]))
}

function scalarFindings(key: string, value: unknown, path: Path): readonly Finding[] {
  if (!name.test(key)) return [{ path, at: 'name', text: `${pathText(path)}: a name in forEach has letters, digits and _ only` }]
  const isScalar = ['string', 'number', 'boolean'].includes(typeof value) && String(value).length <= maxLength
  return isScalar ? [] : [must(path, 'text of at most 1,000 characters, a number, true or false')]
}

const reference = /(\$?)\$\{each\.([A-Za-z_][A-Za-z0-9_]*)\}/g

export const refersToEach = (text: string) => text.includes('${each.')

/** Replaces `${each.NAME}` in a value, and adds undefined names to `unknown`. Parts without references stay the same objects. */
export function withEach(value: unknown, each: EachValues, unknown: Set<string>): unknown {
  if (typeof value === 'string') return refersToEach(value) ? textWithEach(value, each, unknown) : value
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const items = value.map((item) => withEach(item, each, unknown))
    return items.every((item, index) => item === value[index]) ? value : items
  }
  const entries = Object.entries(value).map(([key, item]) => [key, item, withEach(item, each, unknown)] as const)
  return entries.every(([, before, after]) => before === after) ? value : Object.fromEntries(entries.map(([key, , after]) => [key, after]))
}

/** A text that is only a reference keeps the type of the value, such as a number. */
function textWithEach(text: string, each: EachValues, unknown: Set<string>): Scalar {
  const whole = /^\$\{each\.([A-Za-z_][A-Za-z0-9_]*)\}$/.exec(text)?.[1]
  if (whole !== undefined && Object.hasOwn(each, whole)) return each[whole] as Scalar
  return text.replace(reference, (found: string, doubled: string, key: string) => {
    if (doubled) return found.slice(1)
    if (!Object.hasOwn(each, key)) unknown.add(key)
    return String(each[key] ?? '')
  })
}
