import { escapeMarkup } from '../../text/escape-markup.ts'

const minLength = 4
const publicHeaders = /^(accept.*|cache-control|connection|content-.*|host|origin|pragma|referer|user-agent)$/i

/** The secret texts in a request's headers; the scheme before a credential is not one. */
export function headerSecrets(headers: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(headers)
    .filter(([name]) => !publicHeaders.test(name))
    .flatMap(([, value]) => [value, ...value.split(/[\s;,=]+/)])
    .filter((text) => !/^(basic|bearer|digest)$/i.test(text))
}

/** The values of a script's variables, in every encoding. An origin such as `https://shop.example` is not a secret. */
export function environmentSecrets(environment: Readonly<Record<string, string>> = {}): readonly string[] {
  return Object.values(environment).flatMap((value) => (isOriginUrl(value) ? [] : encodings(value)))
}

/** A function that redacts these secrets in a text. */
export function redactor(secrets: readonly string[]): (text: string) => string {
  const longestFirst = secrets.filter((secret) => secret.length >= minLength).sort((one, other) => other.length - one.length)
  return (text) => longestFirst.reduce((redacted, secret) => redacted.replaceAll(secret, '•••'), text)
}

/** A text and its encodings in URLs, JSON, headers and markup. */
export function encodings(text: string): readonly string[] {
  const inUrls = [encodeURIComponent(text), new URLSearchParams({ '': text }).toString().slice(1), inPath(text)]
  const json = JSON.stringify(text).slice(1, -1)
  const written = [text, ...inUrls, json, json.replaceAll('/', '\\/'), escapeMarkup(text), Buffer.from(text).toString('base64')]
  return [...new Set([...written, percentDecoded(text), ...inUrls.map(withLowerHex)])]
}

/** A percent-decoded text; unchanged where it is not valid percent-encoding. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Whether a text is only an origin: `https://shop.example:8443`. */
export function isOriginUrl(text: string): boolean {
  return /^https?:\/\/[\w.:[\]-]+\/?$/.test(text)
}

/** Whether the name of a parameter marks it as secret. */
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
