import { fetchOk, type PageCredentials } from '../api/client.ts'
import { basePath } from './base-path.ts'

/** The name under which the session is stored, and of the channel between tabs; servers below other paths have their own. */
export function sessionName(): string {
  return `tidemark${basePath()}`
}

/** From the session storage of this tab, or from the local storage of the browser. */
export function loadCredentials(): PageCredentials | null {
  const text = sessionStorage.getItem(sessionName()) ?? localStorage.getItem(sessionName())
  return text === null ? null : (JSON.parse(text) as PageCredentials)
}

/** In the session storage of the tab, or where they should last in the local storage; they replace any others. */
export function saveCredentials(credentials: PageCredentials, lasting: boolean): void {
  clearCredentials()
  const storage = lasting ? localStorage : sessionStorage
  storage.setItem(sessionName(), JSON.stringify(credentials))
}

/** Keeps the session of another tab in this one; what is in the local storage stays. */
export function joinCredentials(credentials: PageCredentials): void {
  sessionStorage.setItem(sessionName(), JSON.stringify(credentials))
}

export function clearCredentials(): void {
  sessionStorage.removeItem(sessionName())
  localStorage.removeItem(sessionName())
}

/** The code of a one-time link, which is removed from the URL. */
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
