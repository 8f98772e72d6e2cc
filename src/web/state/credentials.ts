import { type Credentials, fetchOk } from '../api/client.ts'

const storageKey = 'tidemark'

/** From the session storage of this tab, or from the local storage of the browser. */
export function loadCredentials(): Credentials | null {
  const text = sessionStorage.getItem(storageKey) ?? localStorage.getItem(storageKey)
  return text === null ? null : (JSON.parse(text) as Credentials)
}

/** In the session storage of the tab, or beyond it in the local storage. */
export function saveCredentials(credentials: Credentials, beyondTab: boolean): void {
  const storage = beyondTab ? localStorage : sessionStorage
  storage.setItem(storageKey, JSON.stringify(credentials))
}

export function clearCredentials(): void {
  sessionStorage.removeItem(storageKey)
  localStorage.removeItem(storageKey)
}

/** The code of a one-time link, which is removed from the URL. */
export function takeCode(): string | null {
  const code = new URLSearchParams(location.hash.slice(1)).get('code')
  if (code !== null) history.replaceState(null, '', location.pathname + location.search)
  return code
}

/** Exchanges a one-time code for credentials. */
export async function redeem(code: string): Promise<Credentials> {
  const body = JSON.stringify({ code })
  const response = await fetchOk('/sign-in', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body })
  return (await response.json()) as Credentials
}
