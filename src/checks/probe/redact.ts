import { escapeMarkup } from '../../text/escape-markup.ts'

const shortest = 4
const openHeaders = /^(accept.*|cache-control|connection|content-.*|host|origin|pragma|referer|user-agent)$/i

/** The texts in a request's headers that nobody may read; the scheme before a credential is none. */
export function headerSecrets(headers: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(headers)
    .filter(([name]) => !openHeaders.test(name))
    .flatMap(([, value]) => [value, ...value.split(/[\s;,=]+/)])
    .filter((text) => !/^(basic|bearer|digest)$/i.test(text))
}

/** The values of a script's variables, in every spelling. Which site is meant, as `https://shop.example`, is no secret. */
export function environmentSecrets(environment: Readonly<Record<string, string>> = {}): readonly string[] {
  return Object.values(environment).flatMap((value) => (isSite(value) ? [] : spellings(value)))
}

/** What makes every one of these secrets unreadable in a text. */
export function redactor(secrets: readonly string[]): (text: string) => string {
  const known = secrets.filter((secret) => secret.length >= shortest).sort((one, other) => other.length - one.length)
  return (text) => known.reduce((clean, secret) => clean.replaceAll(secret, '•••'), text)
}

/** A text as it is, and the ways in which it is written in addresses, JSON, headers and markup. */
export function spellings(text: string): readonly string[] {
  const inAddresses = [encodeURIComponent(text), new URLSearchParams({ '': text }).toString().slice(1), inPath(text)]
  const json = JSON.stringify(text).slice(1, -1)
  const written = [text, ...inAddresses, json, json.replaceAll('/', '\\/'), escapeMarkup(text), Buffer.from(text).toString('base64')]
  return [...new Set([...written, unescaped(text), ...inAddresses.map(withLowerHex)])]
}

/** A text without what escapes characters in addresses; as it is where that is no such text. */
export function unescaped(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Whether a text says only which site is meant: `https://shop.example:8443`. */
export function isSite(text: string): boolean {
  return /^https?:\/\/[\w.:[\]-]+\/?$/.test(text)
}

/** Whether a parameter of this name carries what nobody may read. */
export function isSecretName(name: string): boolean {
  return /key$|^sig$|auth|credential|passw|pwd|secret|session|signature|token/i.test(name)
}

function inPath(text: string): string {
  const url = new URL('http://localhost')
  url.pathname = text
  return url.pathname.slice(1)
}

function withLowerHex(text: string): string {
  return text.replace(/%[0-9A-F]{2}/g, (escaped) => escaped.toLowerCase())
}
