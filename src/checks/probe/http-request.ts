import { headerSecrets } from './redact.ts'

type BasicAuth = { readonly username: string; readonly password: string }

/** An address as it is called: its user and password become a header, and are no part of it. */
export function urlParts(text: string): {
  readonly url: URL
  readonly headers: Record<string, string>
  readonly secrets: readonly string[]
} {
  const url = new URL(text)
  const auth = { username: unescaped(url.username), password: unescaped(url.password) }
  const given = url.username !== '' || url.password !== ''
  url.username = ''
  url.password = ''
  return given ? { url, ...authorization(auth) } : { url, headers: {}, secrets: [] }
}

/** The address without its user and password. */
export function publicUrl(text: string): string {
  const { url, secrets } = urlParts(text)
  return secrets.length > 0 ? url.href : text
}

export function authorization(auth: BasicAuth): { readonly headers: Record<string, string>; readonly secrets: readonly string[] } {
  const headers = { Authorization: `Basic ${Buffer.from(`${auth.username}:${auth.password}`).toString('base64')}` }
  return { headers, secrets: [...headerSecrets(headers), auth.username, auth.password] }
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
