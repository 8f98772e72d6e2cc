import { useState } from 'preact/hooks'
import type { Credentials } from '../api/client.ts'
import { basePath } from '../state/base-path.ts'
import { readable, type TriedCall, urlOf } from './request.ts'

type TryItProps = { readonly call: TriedCall; readonly credentials: Credentials | null }
type Answer = { readonly status: string; readonly text: string }

/** Streams and exports are shown up to here. */
const mostCharacters = 50_000
const mostMs = 15_000

/** One call with a form that is made when it is opened. */
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
          <a href={`${basePath()}/`}>Sign in</a> to send your key along.
        </p>
      )}
      <form onSubmit={submit}>
        {call.parameters.map(({ name, required }) => (
          <label key={name} class="field">
            <span class="field-label">{required ? `${name} (required)` : name}</span>
            <input name={`parameter ${name}`} required={required} spellcheck={false} autocomplete="off" />
          </label>
        ))}
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

function Shown({ answer }: { answer: Answer }) {
  return (
    <>
      <p class="try-status">{answer.status}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre tabIndex={0}>{answer.text}</pre>
    </>
  )
}

async function ask(call: TriedCall, form: FormData, credentials: Credentials | null): Promise<Answer> {
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
    return { status: 'Tidemark does not answer.', text: '' }
  }
}

/** The text of a response until it ends, is long enough, or takes too long. */
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
