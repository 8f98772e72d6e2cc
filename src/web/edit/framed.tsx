import type { ComponentChildren } from 'preact'
import { inSentence, wordsOf } from '../view/words.ts'
import type { FieldPath } from './definition.ts'
import { listText } from './field-text.ts'
import { useField, useForm } from './form-context.ts'
import type { FormField } from './form-model.ts'

export type FieldProps = { readonly field: FormField; readonly path: FieldPath }

/** Attributes that announce an input with its help and faults. */
type InputAttributes = {
  readonly id: string
  readonly 'aria-describedby': string | undefined
  readonly 'aria-invalid': true | undefined
  readonly 'aria-required': true | undefined
}

export function Framed({ field, path, children }: FieldProps & { readonly children: (attributes: InputAttributes) => ComponentChildren }) {
  const { id, faults, inherited } = useField(path)
  const isNeeded = field.isNeeded && inherited === undefined
  const notes = [
    ...(inherited === undefined ? [] : [`${id}-inherited`]),
    ...(field.help === '' ? [] : [`${id}-help`]),
    ...(faults.length === 0 ? [] : [`${id}-fault`]),
  ]
  return (
    <div class="field form-field">
      <label for={id}>
        {field.label}
        {isNeeded && <span class="needed"> (required)</span>}
      </label>
      {children({
        id,
        'aria-describedby': notes.length === 0 ? undefined : notes.join(' '),
        'aria-invalid': faults.length > 0 || undefined,
        'aria-required': isNeeded || undefined,
      })}
      <FieldFaults id={id} faults={faults} />
      <InheritedNote path={path} />
      {field.help !== '' && (
        <p id={`${id}-help`} class="field-help">
          {field.help}
        </p>
      )}
    </div>
  )
}

/** The value that an unset field inherits from the group of the check. */
export function InheritedNote({ path }: Pick<FieldProps, 'path'>) {
  const { id, inherited } = useField(path)
  const { group } = useForm()
  if (inherited === undefined || group === null) return null
  return (
    <p id={`${id}-inherited`} class="field-help">
      From the group {group.name}: <b>{inheritedText(inherited)}</b>
    </p>
  )
}

function inheritedText(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value)) return listText(value)
  if (typeof value !== 'object' || value === null) return String(value)
  return Object.entries(value)
    .map(([name, part]) => `${inSentence(wordsOf(name))} ${inheritedText(part)}`)
    .join(', ')
}

export function FieldFaults({ id, faults }: { readonly id: string; readonly faults: readonly string[] }) {
  if (faults.length === 0) return null
  return (
    <p id={`${id}-fault`} class="field-fault">
      {faults.map((fault) => (
        <span key={fault}>{fault}</span>
      ))}
    </p>
  )
}
