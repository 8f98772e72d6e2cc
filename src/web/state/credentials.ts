import { type Credentials, reach } from '../api/client.ts'

const storageKey = 'tidemark'

/** Kept by this tab alone, and forgotten with it. */
export function keptCredentials(): Credentials | null {
  const text = sessionStorage.getItem(storageKey)
  return text === null ? null : (JSON.parse(text) as Credentials)
}

export function keepCredentials(credentials: Credentials | null): void {
  if (credentials === null) sessionStorage.removeItem(storageKey)
  else sessionStorage.setItem(storageKey, JSON.stringify(credentials))
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
