import { inSentence } from '../view/words.ts'
import { mappingOf, type NamedText, pairsOf } from './field-text.ts'
import { useField } from './form-context.ts'
import { FieldFaults, type FieldProps } from './framed.tsx'
import { useDraftText } from './inputs.tsx'

export function PairsInput({ field, path }: FieldProps) {
  const { value, change, faults, id } = useField(path)
  const [pairs, setPairs] = useDraftText(mappingOf(pairsOf(value)), mappingOf, pairsOf)
  const update = (next: readonly NamedText[]) => {
    setPairs(next)
    change(mappingOf(next))
  }
  const edit = (index: number, pair: NamedText) => update(pairs.toSpliced(index, 1, pair))
  return (
    <fieldset id={id} class="form-group" tabIndex={-1} aria-describedby={faults.length > 0 ? `${id}-fault` : undefined}>
      <legend>{field.label}</legend>
      {pairs.map(([name, text], index) => (
        <div key={index} class="form-row">
          <input
            aria-label={`${field.label}, name ${index + 1}`}
            placeholder="name"
            spellcheck={false}
            value={name}
            onInput={(event) => edit(index, [event.currentTarget.value, text])}
          />
          <input
            aria-label={`${field.label}, value ${index + 1}`}
            placeholder="value"
            spellcheck={false}
            value={text}
            onInput={(event) => edit(index, [name, event.currentTarget.value])}
          />
          <button
            type="button"
            class="quiet-button"
            aria-label={`Remove ${name === '' ? `${field.label} ${index + 1}` : name}`}
            onClick={() => update(pairs.toSpliced(index, 1))}
          >
            Remove
          </button>
        </div>
      ))}
      <button
        type="button"
        class="quiet-button"
        aria-label={`Add to ${inSentence(field.label)}`}
        onClick={() => setPairs([...pairs, ['', '']])}
      >
        Add
      </button>
      <FieldFaults id={id} faults={faults} />
      {field.help !== '' && <p class="field-help">{field.help}</p>}
    </fieldset>
  )
}
