import { fetchOk, type PageCredentials } from '../api/client.ts'
import { basePath } from './base-path.ts'

/** The storage key of the session, and the name of the channel between tabs. Servers with other base paths have their own. */
export function sessionName(): string {
  return `tidemark${basePath()}`
}

/** Loads from the tab's session storage, else from the browser's local storage. */
export function loadCredentials(): PageCredentials | null {
  const text = sessionStorage.getItem(sessionName()) ?? localStorage.getItem(sessionName())
  return text === null ? null : (JSON.parse(text) as PageCredentials)
}

/** Saves to session storage, or to local storage if the session should last. Replaces any other credentials. */
export function saveCredentials(credentials: PageCredentials, lasting: boolean): void {
  clearCredentials()
  const storage = lasting ? localStorage : sessionStorage
  storage.setItem(sessionName(), JSON.stringify(credentials))
}

/** Adopts another tab's session in this tab, without touching local storage. */
export function joinCredentials(credentials: PageCredentials): void {
  sessionStorage.setItem(sessionName(), JSON.stringify(credentials))
}

export function clearCredentials(): void {
  sessionStorage.removeItem(sessionName())
  localStorage.removeItem(sessionName())
}

/** Returns the code of a one-time link, and removes it from the URL. */
export function takeCode(): string | null {
  const code = new URLSearchParams(location.hash.slice(1)).get('code')
  if (code !== null) history.replaceState(null, '', location.pathname + location.search)
  return code
}

/** Exchanges a one-time code for credentials. */
export async function redeem(code: string): Promise<PageCredentials> {
  const body = JSON.stringify({ code })
  const response = await fetchOk('/sign-in', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body })
  return (await response.json()) as PageCredentials
}
