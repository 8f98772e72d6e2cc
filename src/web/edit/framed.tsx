import type { ComponentChildren } from 'preact'
import type { FieldPath } from './definition.ts'
import { useField } from './form-context.ts'
import type { FormField } from './form-model.ts'

export type FieldProps = { readonly field: FormField; readonly path: FieldPath }

/** What an input needs to be announced with its help and its faults. */
type InputAttributes = {
  readonly id: string
  readonly 'aria-describedby': string | undefined
  readonly 'aria-invalid': true | undefined
  readonly 'aria-required': true | undefined
}

/** A label, its input, its help and its faults. */
export function Framed({ field, path, children }: FieldProps & { readonly children: (attributes: InputAttributes) => ComponentChildren }) {
  const { id, faults } = useField(path)
  const notes = [...(field.help === '' ? [] : [`${id}-help`]), ...(faults.length === 0 ? [] : [`${id}-fault`])]
  return (
    <div class="field form-field">
      <label for={id}>
        {field.label}
        {field.isNeeded && <span class="needed"> (needed)</span>}
      </label>
      {children({
        id,
        'aria-describedby': notes.length === 0 ? undefined : notes.join(' '),
        'aria-invalid': faults.length > 0 || undefined,
        'aria-required': field.isNeeded || undefined,
      })}
      <FieldFaults id={id} faults={faults} />
      {field.help !== '' && (
        <p id={`${id}-help`} class="field-help">
          {field.help}
        </p>
      )}
    </div>
  )
}

export function FieldFaults({ id, faults }: { readonly id: string; readonly faults: readonly string[] }) {
  if (faults.length === 0) return null
  return (
    <p id={`${id}-fault`} class="field-fault">
      {faults.join(' ')}
    </p>
  )
}
