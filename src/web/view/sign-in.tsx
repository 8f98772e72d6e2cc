import { useState } from 'preact/hooks'
import { createApi, type PageCredentials, Problem } from '../api/client.ts'
import { basePath } from '../state/base-path.ts'
import { LabelledField } from './fields.tsx'
import { Mark } from './mark.tsx'
import { Notice } from './notice.tsx'

type SignInProps = { readonly reason: string | null; onSignIn(credentials: PageCredentials, lasting: boolean): void }

export function SignIn({ reason, onSignIn }: SignInProps) {
  const [message, setMessage] = useState(reason)
  const [busy, setBusy] = useState(false)
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget as HTMLFormElement)
    const credentials = { key: String(form.get('key')).trim(), account: String(form.get('account')).trim() }
    setBusy(true)
    const problem = await rejectionOf(credentials)
    setBusy(false)
    if (problem === null) onSignIn(credentials, form.has('stay'))
    else setMessage(problem)
  }
  return (
    <main class="sign-in">
      <h1>
        <Mark /> Tidemark
      </h1>
      {message !== null && <Notice alert title={message} />}
      <form onSubmit={submit}>
        <LabelledField label="Account">
          {(id) => <input id={id} name="account" required autocomplete="username" spellcheck={false} />}
        </LabelledField>
        <LabelledField label="API key">
          {(id) => <input id={id} name="key" type="password" required autocomplete="current-password" />}
        </LabelledField>
        <label class="tick">
          <input type="checkbox" name="stay" /> stay signed in on this computer
        </label>
        <button type="submit" disabled={busy}>
          {busy ? 'Signing in …' : 'Sign in'}
        </button>
      </form>
      <p class="note">
        Both stay in this browser until you close its last Tidemark tab or, if you stay signed in, sign out. Create a key with{' '}
        <code>tidemark key create</code>. For programs, use <a href={`${basePath()}/docs`}>the API</a>.
      </p>
    </main>
  )
}

/** Why these credentials are rejected; null if they are valid. */
async function rejectionOf(credentials: PageCredentials): Promise<string | null> {
  if (/[^\x21-\x7e]/.test(credentials.key + credentials.account)) return 'Keys and accounts have no spaces or special characters.'
  const response = createApi(credentials).request({ path: '/v1/checks?limit=1' }, new AbortController().signal)
  return response.then(
    () => null,
    (fault: unknown) => (fault instanceof Problem ? fault.message : 'Unexpected response. Reload the page.'),
  )
}
