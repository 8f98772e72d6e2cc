import { useState } from 'preact/hooks'
import { isSame } from './definition.ts'
import { listText, numberOrText, wordsIn } from './field-text.ts'
import { useField, useForm } from './form-context.ts'
import { type FieldProps, Framed } from './framed.tsx'

const plain = { spellcheck: false, autocomplete: 'off', autocapitalize: 'off' } as const
/** Texts with at least this minimum length are secret or must be hard to guess. */
const unguessable = 16

export function TextInput({ field, path }: FieldProps) {
  const { value, change, id } = useField(path)
  const isSecret = field.minLength >= unguessable
  return (
    <>
      <Framed field={field} path={path}>
        {(attributes) => (
          <input {...attributes} {...plain} value={textOf(value)} onInput={(event) => change(event.currentTarget.value || undefined)} />
        )}
      </Framed>
      {isSecret && (
        <button type="button" class="quiet-button" aria-describedby={id} onClick={() => change(randomText())}>
          Generate
        </button>
      )}
    </>
  )
}

export function LongInput({ field, path }: FieldProps) {
  const { value, change } = useField(path)
  return (
    <Framed field={field} path={path}>
      {(attributes) => (
        <textarea
          {...attributes}
          {...plain}
          rows={4}
          value={textOf(value)}
          onInput={(event) => change(event.currentTarget.value || undefined)}
        />
      )}
    </Framed>
  )
}

export function NumberInput({ field, path }: FieldProps) {
  const { value, change } = useField(path)
  const settle = (text: string) => /^\s*-?\d+(\.\d+)?\s*$/.test(text) && change(Number(text))
  return (
    <Framed field={field} path={path}>
      {(attributes) => (
        <input
          {...attributes}
          {...plain}
          inputMode="decimal"
          value={textOf(value)}
          onInput={(event) => change(numberOrText(event.currentTarget.value))}
          onBlur={(event) => settle(event.currentTarget.value)}
        />
      )}
    </Framed>
  )
}

const answers: Readonly<Record<string, string>> = { true: 'yes', false: 'no' }

/** Selects one of a few values or none. An unlisted value, such as a variable, can be kept. */
export function ChoiceInput({ field, path }: FieldProps) {
  const { value, change } = useField(path)
  const choices = field.kind === 'yesNo' ? Object.keys(answers) : field.choices
  const chosen = textOf(value)
  const choose = (text: string) => change(text === '' ? undefined : field.kind === 'yesNo' && text in answers ? text === 'true' : text)
  return (
    <Framed field={field} path={path}>
      {(attributes) => (
        <select {...attributes} value={chosen} onChange={(event) => choose(event.currentTarget.value)}>
          <option value="">not set</option>
          {[...choices, ...(chosen === '' || choices.includes(chosen) ? [] : [chosen])].map((choice) => (
            <option key={choice} value={choice}>
              {field.kind === 'yesNo' ? (answers[choice] ?? choice) : choice}
            </option>
          ))}
        </select>
      )}
    </Framed>
  )
}

const maxSuggestions = 30

/** A list of texts with commas. Known values can be chosen as well. */
export function WordsInput({ field, path }: FieldProps) {
  const { value, change } = useField(path)
  const { suggestions } = useForm()
  const [text, setText] = useDraftText(value, wordsIn, listText)
  const chosen = Array.isArray(value) ? value : []
  const toggle = (word: string) => change(chosen.includes(word) ? wordsIn(chosen.filter((one) => one !== word).join()) : [...chosen, word])
  const known = (suggestions[field.name] ?? []).slice(0, maxSuggestions)
  return (
    <Framed field={{ ...field, help: `${field.help}; separated by commas` }} path={path}>
      {(attributes) => (
        <>
          <input
            {...attributes}
            {...plain}
            value={text}
            onInput={(event) => {
              setText(event.currentTarget.value)
              change(wordsIn(event.currentTarget.value))
            }}
          />
          {known.length > 0 && (
            <span class="suggestions">
              {known.map((word) => (
                <button
                  key={word}
                  type="button"
                  class="quiet-button"
                  aria-label={`${field.label}: ${word}`}
                  aria-pressed={chosen.includes(word)}
                  onClick={() => toggle(word)}
                >
                  {word}
                </button>
              ))}
            </span>
          )}
        </>
      )}
    </Framed>
  )
}

/** The text as typed while it parses to the value; otherwise the text of the value. */
export function useDraftText<T>(value: unknown, read: (draft: T) => unknown, write: (value: unknown) => T) {
  const [draft, setDraft] = useState(() => write(value))
  return [isSame(read(draft), value) ? draft : write(value), setDraft] as const
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** 32 characters that are valid in URLs. */
function randomText(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
