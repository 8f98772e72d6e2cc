import { percentDecoded } from '../../../text/percent-decoded.ts'
import { encodings, headerSecrets, isSecretName } from '../redact.ts'

type BasicAuth = { readonly username: string; readonly password: string }
type Parameters = Readonly<Record<string, string>>

/** Splits a URL: user and password become an authorization header and are removed from it. */
export function urlParts(text: string): {
  readonly url: URL
  readonly headers: Record<string, string>
  readonly secrets: readonly string[]
} {
  const url = new URL(text)
  const auth = { username: percentDecoded(url.username), password: percentDecoded(url.password) }
  const given = url.username !== '' || url.password !== ''
  const written = given ? [`${url.username}:${url.password}@`] : []
  url.username = ''
  url.password = ''
  const inQuery = parameterSecrets(Object.fromEntries(url.searchParams))
  if (!given) return { url, headers: {}, secrets: inQuery }
  const { headers, secrets } = authorization(auth)
  return { url, headers, secrets: [...written, ...secrets, ...inQuery] }
}

/** The values of parameters whose names mark them as secret, in every encoding. */
export function parameterSecrets(parameters: Parameters): readonly string[] {
  return Object.entries(parameters).flatMap(([name, value]) => (isSecretName(name) ? encodings(value) : []))
}

/** The URL without user and password, and with secret parameters redacted. */
export function publicUrl(text: string): string {
  const { url, secrets } = urlParts(text)
  if (secrets.length === 0) return text
  const search = url.search.replace(/([?&])([^=&]*)=[^&]*/g, (pair, before: string, name: string) =>
    isSecretName(percentDecoded(name)) ? `${before}${name}=•••` : pair,
  )
  return `${url.origin}${url.pathname}${search}${url.hash}`
}

export function authorization(auth: BasicAuth): { readonly headers: Record<string, string>; readonly secrets: readonly string[] } {
  const headers = { Authorization: `Basic ${Buffer.from(`${auth.username}:${auth.password}`).toString('base64')}` }
  const { username, password } = auth
  const keys = [password === '' ? username : password].flatMap(encodings)
  return { headers, secrets: [...headerSecrets(headers), ...keys] }
}
