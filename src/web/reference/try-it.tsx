import { useEffect, useState } from 'preact/hooks'
import type { PageCredentials } from '../api/client.ts'
import { basePath } from '../state/base-path.ts'
import { idsFor, type KnownId } from './ids.ts'
import { exampleOf, readable, type TriedCall, type TriedParameter, urlOf } from './request.ts'

type TryItProps = { readonly call: TriedCall; readonly credentials: PageCredentials | null }
type Answer = { readonly status: string; readonly text: string }

/** Long streams and exports are cut at these limits. */
const mostCharacters = 50_000
const mostMs = 15_000

/** A call with a form, rendered when opened. */
export function TryIt({ call, credentials }: TryItProps) {
  const [opened, setOpened] = useState(false)
  return (
    <details class="try" onToggle={() => setOpened(true)}>
      <summary>Try it</summary>
      {opened && <CallForm call={call} credentials={credentials} />}
    </details>
  )
}

/** Sends the call with the key of the page. */
function CallForm({ call, credentials }: TryItProps) {
  const [answer, setAnswer] = useState<Answer | null>(null)
  const [busy, setBusy] = useState(false)
  const ids = useIds(call, credentials)
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget as HTMLFormElement)
    setBusy(true)
    setAnswer(await ask(call, form, credentials))
    setBusy(false)
  }
  return (
    <>
      {credentials === null && (
        <p class="note">
          <a href={`${basePath()}/`}>Sign in</a> to send your key.
        </p>
      )}
      <form onSubmit={submit}>
        {ids !== null &&
          call.parameters.map((parameter) => <ParameterField key={parameter.name} call={call} parameter={parameter} ids={ids} />)}
        {call.body !== undefined && (
          <label class="field">
            <span class="field-label">Body, {call.body.type}</span>
            <textarea name="body" rows={6} spellcheck={false} defaultValue={call.body.example} />
          </label>
        )}
        <button type="submit" disabled={busy}>
          Send{credentials === null ? '' : ` as ${credentials.account}`}
        </button>
      </form>
      <div aria-live="polite">{answer !== null && <Shown answer={answer} />}</div>
    </>
  )
}

/** Null until loaded, so that fields are rendered with their initial values. */
function useIds(call: TriedCall, credentials: PageCredentials | null): readonly KnownId[] | null {
  const [ids, setIds] = useState<readonly KnownId[] | null>(null)
  useEffect(() => void idsFor(call, credentials).then(setIds), [call, credentials])
  return ids
}

/** A menu if one of few choices is expected, else a text field with suggestions. */
function ParameterField({ call, parameter, ids }: { call: TriedCall; parameter: TriedParameter; ids: readonly KnownId[] }) {
  // Every call is a separate Preact root, so `useId` would repeat ids.
  const id = `${call.method} ${call.path} ${parameter.name}`.replace(/[^\w]+/g, '-')
  const suggestions = `${id}-suggestions`
  const { name, required, choices, list = false } = parameter
  const field = `parameter ${name}`
  const filled = exampleOf(parameter, ids)
  const suggested = choices?.map((value) => ({ id: value, name: '' })) ?? (parameter.in === 'path' && filled !== '' ? ids : [])
  return (
    <div class="field">
      <label for={id}>{required ? `${name} (required)` : name}</label>
      {choices !== undefined && !list ? (
        <select id={id} name={field} required={required}>
          {!required && <option value="">(default)</option>}
          {choices.map((choice) => (
            <option key={choice} selected={choice === filled}>
              {choice}
            </option>
          ))}
        </select>
      ) : (
        <input id={id} name={field} required={required} defaultValue={filled} list={suggestions} spellcheck={false} autocomplete="off" />
      )}
      {suggested.length > 0 && (
        <datalist id={suggestions}>
          {suggested.map(({ id: value, name: label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </datalist>
      )}
    </div>
  )
}

function Shown({ answer }: { answer: Answer }) {
  return (
    <>
      <p class="try-status">{answer.status}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre tabIndex={0}>{answer.text}</pre>
    </>
  )
}

async function ask(call: TriedCall, form: FormData, credentials: PageCredentials | null): Promise<Answer> {
  const values = new Map(call.parameters.map(({ name }) => [name, String(form.get(`parameter ${name}`) ?? '')]))
  const headers = {
    ...(credentials !== null && { Authorization: `Bearer ${credentials.key}`, 'X-Service-Account': credentials.account }),
    ...(call.body !== undefined && { 'Content-Type': call.body.type }),
  }
  const body = call.body === undefined ? {} : { body: String(form.get('body')) }
  try {
    const init = {
      method: call.method,
      headers,
      ...body,
      credentials: 'omit',
      redirect: 'error',
      signal: AbortSignal.timeout(mostMs),
    } as const
    const response = await fetch(basePath() + urlOf(call, values), init)
    return { status: `${response.status} ${response.statusText}`.trim(), text: readable(await beginningOf(response)) }
  } catch {
    return { status: 'Cannot reach Tidemark.', text: '' }
  }
}

/** The text of a response until its end or the size or time limit. */
async function beginningOf(response: Response): Promise<string> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  try {
    for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read()) {
      text += part.value
      if (text.length > mostCharacters) break
    }
  } catch {
    return text
  }
  await reader?.cancel()
  return text.slice(0, mostCharacters)
}
