import { type Credentials, reach } from '../api/client.ts'

const storageKey = 'tidemark'

/** What this tab keeps, or this browser if it was told to. */
export function keptCredentials(): Credentials | null {
  const text = sessionStorage.getItem(storageKey) ?? localStorage.getItem(storageKey)
  return text === null ? null : (JSON.parse(text) as Credentials)
}

/** Keeps them with the tab, to be forgotten with it, or beyond that. */
export function keepCredentials(credentials: Credentials, beyondTab: boolean): void {
  const storage = beyondTab ? localStorage : sessionStorage
  storage.setItem(storageKey, JSON.stringify(credentials))
}

export function forgetCredentials(): void {
  sessionStorage.removeItem(storageKey)
  localStorage.removeItem(storageKey)
}

/** The code of a one-time link, taken out of the address. */
export function takeCode(): string | null {
  const code = new URLSearchParams(location.hash.slice(1)).get('code')
  if (code !== null) history.replaceState(null, '', location.pathname + location.search)
  return code
}

/** Exchanges a one-time code for what it stands for; a second time it stands for nothing. */
export async function redeem(code: string): Promise<Credentials> {
  const body = JSON.stringify({ code })
  const response = await reach('/sign-in', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body })
  return (await response.json()) as Credentials
}
