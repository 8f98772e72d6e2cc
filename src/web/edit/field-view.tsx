import type { ComponentType } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { inSentence } from '../view/words.ts'
import { CheckGroupInput } from './check-group-input.tsx'
import { CodeInput } from './code-input.tsx'
import { type FieldPath, pointerOf, valueIn } from './definition.ts'
import { useField, useForm } from './form-context.ts'
import type { FieldKind, FormField } from './form-model.ts'
import { FieldFaults, type FieldProps, InheritedNote } from './framed.tsx'
import { ChoiceInput, LongInput, NumberInput, TextInput, WordsInput } from './inputs.tsx'
import { PairsInput } from './pairs-input.tsx'
import { RowsInput } from './rows-input.tsx'

const views: Readonly<Record<FieldKind, ComponentType<FieldProps>>> = {
  text: TextInput,
  long: LongInput,
  code: CodeInput,
  number: NumberInput,
  choice: ChoiceInput,
  yesNo: ChoiceInput,
  words: WordsInput,
  pairs: PairsInput,
  group: GroupInput,
  rows: RowsInput,
  checkGroup: CheckGroupInput,
}

export function FieldView({ field, path }: FieldProps) {
  const View = views[field.kind]
  return <View field={field} path={path} />
}

function GroupInput({ field, path }: FieldProps) {
  const { value, faults, id } = useField(path)
  // Required fields of a group are required only if the group is used.
  const isUsed = field.isNeeded || value !== undefined
  const fields = isUsed ? field.fields : field.fields.map((one) => ({ ...one, isNeeded: false }))
  return (
    <fieldset id={id} class="form-group" tabIndex={-1} aria-describedby={faults.length > 0 ? `${id}-fault` : undefined}>
      <legend>{field.label}</legend>
      {field.help !== '' && <p class="field-help">{field.help}</p>}
      <FieldFaults id={id} faults={faults} />
      <InheritedNote path={path} />
      <FoldedFields fields={fields} path={path} />
    </fieldset>
  )
}

/** Up to this number, all fields are shown, whether set or not. */
const fewFields = 5

type FoldedProps = {
  readonly fields: readonly FormField[]
  readonly path: FieldPath
  /** Fields that are always shown. */
  readonly main?: readonly string[]
}

/** Shows required and set fields, and all others behind "More". Fields do not move while they are edited. */
export function FoldedFields({ fields, path, main = [] }: FoldedProps) {
  const { definition, faults } = useForm()
  const [shown] = useState(() => {
    const isShown = ({ name, kind, isNeeded }: FormField) =>
      isNeeded || kind === 'rows' || kind === 'code' || main.includes(name) || valueIn(definition, [...path, name]) !== undefined
    return new Set((fields.length <= fewFields ? fields : fields.filter(isShown)).map(({ name }) => name))
  })
  const folded = fields.filter(({ name }) => !shown.has(name))
  const isFaulty = folded.some(({ name }) => [...faults.keys()].some((pointer) => pointer.startsWith(pointerOf([...path, name]))))
  // Stays open while a fault inside is being fixed.
  const isOpen = useRef(false)
  isOpen.current ||= isFaulty
  return (
    <>
      {fields
        .filter(({ name }) => shown.has(name))
        .map((field) => (
          <FieldView key={field.name} field={field} path={[...path, field.name]} />
        ))}
      {folded.length > 0 && (
        <details class="form-fold" open={isOpen.current}>
          <summary>More: {folded.map(({ label }) => inSentence(label)).join(', ')}</summary>
          <div>
            {folded.map((field) => (
              <FieldView key={field.name} field={field} path={[...path, field.name]} />
            ))}
          </div>
        </details>
      )}
    </>
  )
}
