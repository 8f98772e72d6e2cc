import { useState } from 'preact/hooks'
import type { Attempt } from '../api/answers.ts'
import { type AssertionRow, assertionOf, jsonPath, jsonPlaces, type Picked } from './assertion.ts'

type PickProps = {
  readonly response: NonNullable<Attempt['response']>
  readonly sources: readonly string[]
  onPick(row: AssertionRow): void
}

/** The maximum number of JSON values to pick from. */
const maxPlaces = 200
const maxShown = 80

/** The response in parts. Clicking a part asserts that it stays as it is. */
export function PickPanel({ response, sources, onPick }: PickProps) {
  const [message, setMessage] = useState('')
  const { status, headers, body, truncated } = response
  const places = body === null ? [] : jsonPlaces(body, maxPlaces)
  const picked: readonly Picked[] = [
    ...(status === null ? [] : [{ of: 'status', status } as const]),
    ...headers.map(({ name, value }) => ({ of: 'header', name, value }) as const),
    ...places,
  ]
  const offered = picked.flatMap((pick) => {
    const row = assertionOf(pick, sources)
    return row === undefined ? [] : [{ row, text: textOf(pick) }]
  })
  const takesText = assertionOf({ of: 'text', text: 'x' }, sources) !== undefined && body !== null && body !== ''
  if (offered.length === 0 && !takesText) return null
  const add = (row: AssertionRow) => {
    onPick(row)
    setMessage(`Added: ${[row.source, row.property, row.comparison, row.target].filter((part) => part !== undefined).join(' ')}`)
  }
  const addSelected = () => {
    const row = assertionOf({ of: 'text', text: String(getSelection() ?? '') }, sources)
    if (row === undefined) setMessage('Select a part of the body first.')
    else add(row)
  }
  return (
    <section class="panel" data-panel="pick">
      <header>
        <h2>Pick assertions</h2>
        <span class="note">Click a value to assert that it stays the same.</span>
      </header>
      <ul class="picks">
        {offered.map(({ row, text }, index) => (
          <li key={index}>
            <button type="button" class="quiet-button" aria-label={`Assert ${text}`} onClick={() => add(row)}>
              {text}
            </button>
          </li>
        ))}
      </ul>
      {takesText && (
        // Keeps the focus, because the selection would be lost with it.
        <button type="button" class="quiet-button" onMouseDown={(event) => event.preventDefault()} onClick={addSelected}>
          Assert that the body contains the selected text
        </button>
      )}
      {truncated && places.length === 0 && sources.includes('jsonBody') && (
        <p class="note">The stored body is truncated, so its values cannot be picked.</p>
      )}
      {places.length === maxPlaces && <p class="note">The first {maxPlaces} values of the body are listed.</p>}
      <p class="note" role="status">
        {message}
      </p>
    </section>
  )
}

function textOf(pick: Picked): string {
  if (pick.of === 'status') return `status ${pick.status}`
  if (pick.of === 'header') return shortened(`${pick.name}: ${pick.value}`)
  return pick.of === 'json' ? shortened(`${jsonPath(pick.path)} = ${JSON.stringify(pick.value)}`) : pick.text
}

const shortened = (text: string) => (text.length > maxShown ? `${text.slice(0, maxShown)}…` : text)
