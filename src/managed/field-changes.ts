import { escapedStep } from '../checks/wire-reader.ts'
import { shortened } from '../text/shortened.ts'

/** A field that a write changed: absent before where it was added, and after where it was removed. */
export type FieldChange = { readonly pointer: string; readonly before?: unknown; readonly after?: unknown }

/** A value, and the same as it may be shown. */
type Shown = { readonly value: unknown; readonly shown: unknown }

const maxChanges = 100

/** What differs between two definitions, with secrets as they are shown: one that has changed is listed, though it looks the same. */
export function fieldChanges(before: Shown | null, after: Shown | null): readonly FieldChange[] {
  const found: FieldChange[] = []
  compare(before, after, '', found)
  return found
}

function compare(before: Shown | null, after: Shown | null, pointer: string, found: FieldChange[]): void {
  if (found.length >= maxChanges) return
  const [old, next] = [before?.value, after?.value]
  if (isParent(old) && isParent(next) && Array.isArray(old) === Array.isArray(next)) {
    for (const name of new Set([...Object.keys(old), ...Object.keys(next)]))
      compare(partOf(before, name), partOf(after, name), `${pointer}/${escapedStep(name)}`, found)
    return
  }
  if (Object.is(old, next)) return
  found.push({
    pointer,
    ...(before && { before: bounded(before.shown) }),
    ...(after && { after: bounded(after.shown) }),
  })
}

type Parent = Readonly<Record<string, unknown>>

const isParent = (value: unknown): value is Parent => typeof value === 'object' && value !== null

function partOf(owner: Shown | null, name: string): Shown | null {
  const value = owner?.value as Parent
  if (!Object.hasOwn(value, name)) return null
  return { value: value[name], shown: (owner?.shown as Parent | undefined)?.[name] }
}

const maxText = 1000

/** A long text is cut, and a large part is one long text. */
function bounded(value: unknown): unknown {
  if (typeof value === 'string') return shortened(value)
  if (!isParent(value)) return value
  const text = JSON.stringify(value)
  return text.length > maxText ? shortened(text) : value
}
