import { inSentence } from '../view/words.ts'
import { withFittingTarget } from './assertion.ts'
import { isSame } from './definition.ts'
import { listText, numberOrText, wordsIn } from './field-text.ts'
import { useField } from './form-context.ts'
import type { FormField } from './form-model.ts'
import { FieldFaults, type FieldProps } from './framed.tsx'
import { useDraftText } from './inputs.tsx'

type Row = Readonly<Record<string, unknown>>

export function RowsInput({ field, path }: FieldProps) {
  const { value, change, faults, id } = useField(path)
  const rows = (Array.isArray(value) ? value : []) as readonly Row[]
  const update = (next: readonly Row[]) => change(next.length === 0 ? undefined : next)
  const first = Object.fromEntries(field.fields.filter(({ isNeeded }) => isNeeded).map(({ name, choices }) => [name, choices[0]]))
  return (
    <fieldset id={id} class="form-group" tabIndex={-1} aria-describedby={faults.length > 0 ? `${id}-fault` : undefined}>
      <legend>{field.label}</legend>
      {rows.length === 0 && <p class="field-help">None yet. Add one, or pick it from a response: run the check first.</p>}
      {rows.map((row, index) => (
        <RowView
          key={index}
          field={field}
          path={[...path, index]}
          name={`${field.label} ${index + 1}`}
          onChange={(next) => !isSame(next, row) && update(rows.toSpliced(index, 1, next))}
          onRemove={() => update(rows.toSpliced(index, 1))}
        />
      ))}
      <button type="button" class="quiet-button" aria-label={`Add to ${inSentence(field.label)}`} onClick={() => update([...rows, first])}>
        Add
      </button>
      <FieldFaults id={id} faults={faults} />
    </fieldset>
  )
}

type RowProps = FieldProps & { readonly name: string; onChange(row: Row): void; onRemove(): void }

function RowView({ field, path, name, onChange, onRemove }: RowProps) {
  const { value, faults, id } = useField(path)
  const row = (value ?? {}) as Row
  return (
    <fieldset id={id} class="form-row" tabIndex={-1} aria-describedby={faults.length > 0 ? `${id}-fault` : undefined}>
      <legend class="unseen">{name}</legend>
      {field.fields.map((part) => (
        <RowPart
          key={part.name}
          part={part}
          path={[...path, part.name]}
          label={`${name}, ${inSentence(part.label)}`}
          onChange={(next) => {
            const { [part.name]: _, ...others } = row
            onChange(withFittingTarget(next === undefined ? others : { ...row, [part.name]: next }))
          }}
        />
      ))}
      <button type="button" class="quiet-button" aria-label={`Remove ${name}`} onClick={onRemove}>
        Remove
      </button>
      <FieldFaults id={id} faults={faults} />
    </fieldset>
  )
}

type PartProps = { readonly part: FormField; readonly path: FieldProps['path']; readonly label: string; onChange(value: unknown): void }

/** One input of a row. Its label is the placeholder. */
function RowPart({ part, path, label, onChange }: PartProps) {
  const { value, faults, id } = useField(path)
  const isList = Array.isArray(value)
  const readOne = (text: string) => (part.takesNumbers ? numberOrText(text) : text || undefined)
  const read = (text: string) => (isList ? wordsIn(text)?.map((word) => readOne(word) ?? '') : readOne(text))
  const [text, setText] = useDraftText(value, read, listText)
  const attributes = {
    id,
    'aria-label': label,
    'aria-invalid': faults.length > 0 || undefined,
    'aria-describedby': faults.length > 0 ? `${id}-fault` : undefined,
  }
  return (
    <div class="row-part">
      {part.kind === 'choice' ? (
        <select {...attributes} value={String(value ?? '')} onChange={(event) => onChange(event.currentTarget.value)}>
          {[...new Set([...part.choices, ...(value === undefined ? [] : [String(value)])])].map((choice) => (
            <option key={choice} value={choice}>
              {choice}
            </option>
          ))}
        </select>
      ) : (
        <input
          {...attributes}
          placeholder={inSentence(part.label)}
          title={part.help}
          spellcheck={false}
          autocapitalize="off"
          value={text}
          onInput={(event) => {
            setText(event.currentTarget.value)
            onChange(read(event.currentTarget.value))
          }}
        />
      )}
      <FieldFaults id={id} faults={faults} />
    </div>
  )
}
