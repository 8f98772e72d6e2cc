import { escapedStep } from '../checks/wire-reader.ts'
import { isReordered } from '../collections/lists.ts'
import { shortened } from '../text/shortened.ts'

/** A changed field: without `before` if it was added, without `after` if it was removed. */
export type FieldChange = { readonly pointer: string; readonly before?: unknown; readonly after?: unknown }

/** A value, and its redacted form. */
type Shown = { readonly value: unknown; readonly shown: unknown }

const maxChanges = 100
/** Budget for the values of one write; beyond it, each is cut short. */
const maxCharacters = 16_000
const maxText = 1000
/** Field names have no limit of their own, and a pointer contains those of all parents. */
const maxPointer = 500

/** The differences of two definitions, redacted. A changed secret is listed, though both sides look the same. */
export function fieldChanges(before: Shown | null, after: Shown | null): readonly FieldChange[] {
  const found: FieldChange[] = []
  compare(before, after, '', found)
  let left = maxCharacters
  return found.map((change) => {
    const short = bounded(change, left < 2 * maxText ? 60 : maxText)
    left -= JSON.stringify(short).length
    return short
  })
}

/** All fields of a deleted definition. */
export function removedFields({ value, shown }: Shown): readonly FieldChange[] {
  return fieldChanges({ value, shown }, { value: {}, shown: {} })
}

function compare(before: Shown | null, after: Shown | null, pointer: string, found: FieldChange[]): void {
  if (found.length >= maxChanges) return
  const [old, next] = [before?.value, after?.value]
  if (isParent(old) && isParent(next) && Array.isArray(old) === Array.isArray(next)) {
    const [names, following] = [Object.keys(old), Object.keys(next)]
    for (const name of new Set([...names, ...following]))
      compare(partOf(before, name), partOf(after, name), `${pointer}/${escapedStep(name)}`, found)
    // Added and removed names are changes already.
    if (ordered.test(pointer) && found.length < maxChanges && isReordered(names, following))
      found.push({ pointer, before: names, after: following })
    return
  }
  if (Object.is(old, next)) return
  found.push({ pointer, ...(before && { before: before.shown }), ...(after && { after: after.shown }) })
}

/** Mappings that bodies have as lists, whose order clients compare. */
const ordered = /\/(environment|headers|query)$/

type Parent = Readonly<Record<string, unknown>>

const isParent = (value: unknown): value is Parent => typeof value === 'object' && value !== null

function partOf(owner: Shown | null, name: string): Shown | null {
  const value = owner?.value as Parent
  if (!Object.hasOwn(value, name)) return null
  return { value: value[name], shown: (owner?.shown as Parent | undefined)?.[name] }
}

/** Cuts long texts to where they begin to differ; a large subtree counts as one long text. */
function bounded({ pointer, ...values }: FieldChange, length: number): FieldChange {
  const [before, after] = [textOf(values.before), textOf(values.after)]
  const from = before !== null && after !== null ? firstDifference(before, after) : 0
  const cut = (value: unknown, text: string | null) => (text === null || text.length <= length ? value : excerpt(text, from, length))
  return {
    pointer: shortened(pointer, maxPointer),
    ...('before' in values && { before: cut(values.before, before) }),
    ...('after' in values && { after: cut(values.after, after) }),
  }
}

/** Null for values that are always short. */
function textOf(value: unknown): string | null {
  if (typeof value === 'string') return value
  return isParent(value) ? JSON.stringify(value) : null
}

function firstDifference(one: string, other: string): number {
  for (let at = 0; at < one.length; at++) if (one[at] !== other[at]) return at
  return one.length === other.length ? 0 : one.length
}

function excerpt(text: string, at: number, length: number): string {
  const from = Math.max(0, Math.min(at - Math.floor(length / 4), text.length - length))
  const start = text.slice(from).replace(/^[\udc00-\udfff]/, '')
  return `${from > 0 ? '…' : ''}${shortened(start, length)}`
}
