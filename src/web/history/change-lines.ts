import type { AuditEntry, FieldChange } from '../api/answers.ts'

/** A field before and after a change; null if it had no value. */
type ChangeLine = { readonly field: string; readonly before: string | null; readonly after: string | null }

/** Changes by field, for people. A change of the whole definition is listed field by field. */
export function changeLines(changes: readonly FieldChange[]): readonly ChangeLine[] {
  return changes.flatMap(({ pointer, ...values }) => {
    const [before, after] = [partsOf(pointer, values.before), partsOf(pointer, values.after)]
    if (before === null && after === null) return [lineOf(fieldOf(pointer), values)]
    const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])]
    return names.map((name) =>
      lineOf(name, {
        ...(before && name in before && { before: before[name] }),
        ...(after && name in after && { after: after[name] }),
      }),
    )
  })
}

/** The fields of a whole definition; null for a part of one. */
function partsOf(pointer: string, value: unknown): Readonly<Record<string, unknown>> | null {
  return pointer === '' && typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : null
}

function lineOf(field: string, values: { readonly before?: unknown; readonly after?: unknown }): ChangeLine {
  return { field, before: textOf(values.before), after: textOf(values.after) }
}

function textOf(value: unknown): string | null {
  if (value === undefined) return null
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** `/request/headers/x-key` → `request › headers › x-key`. */
function fieldOf(pointer: string): string {
  const steps = pointer.split('/').slice(1)
  return steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~')).join(' › ') || 'definition'
}

const words: Readonly<Record<AuditEntry['action'], string>> = {
  create: 'added',
  update: 'changed',
  delete: 'deleted',
  restore: 'restored',
}

/** One word for the effect of a write. */
export function actionWord({ action, changes }: Pick<AuditEntry, 'action' | 'changes'>): string {
  const [only, ...others] = changes
  if (action !== 'update' || only === undefined || others.length > 0) return words[action]
  if (only.pointer === '/activated') return only.after === false ? 'paused' : 'resumed'
  if (only.pointer === '/muted') return only.after === true ? 'muted' : 'unmuted'
  return words[action]
}

/** The name of a check. For a deleted check, the name at deletion, else the id. */
export function checkName({ id, name, changes }: Pick<AuditEntry, 'id' | 'name' | 'changes'>): string {
  const before = changes.find(({ pointer }) => pointer === '/name')?.before
  return name ?? (typeof before === 'string' ? before : id)
}

const fewFields = 3

/** `name, tags, request › url and 2 more`. */
export function fieldsText(lines: readonly ChangeLine[]): string {
  const named = lines.slice(0, fewFields).map(({ field }) => field)
  return lines.length > fewFields ? `${named.join(', ')} and ${lines.length - fewFields} more` : named.join(', ')
}
