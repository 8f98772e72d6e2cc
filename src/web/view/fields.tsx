import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

type Option = { readonly value: string; readonly label: string }

type SelectProps = {
  readonly label: string
  readonly value: string
  readonly options: readonly Option[]
  readonly disabled?: boolean
  onChange(value: string): void
}

export function Select({ label, value, options, disabled = false, onChange }: SelectProps) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} value={value} disabled={disabled} onChange={(event) => onChange(event.currentTarget.value)}>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </div>
  )
}

/** A few choices next to each other, one of them selected. */
export function Choice({ label, value, options, onChange }: Omit<SelectProps, 'disabled'>) {
  return (
    <fieldset class="choice">
      <legend class="unseen">{label}</legend>
      {options.map((option) => (
        <button key={option.value} type="button" aria-pressed={option.value === value} onClick={() => onChange(option.value)}>
          {option.label}
        </button>
      ))}
    </fieldset>
  )
}

export function LabelledField({ label, children }: { label: string; children: (id: string) => ComponentChildren }) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children(id)}
    </div>
  )
}
