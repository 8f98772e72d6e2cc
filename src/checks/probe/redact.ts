import { memoize } from '../../cache/cache.ts'
import { escapeMarkup } from '../../text/escape-markup.ts'
import { percentDecoded } from '../../text/percent-decoded.ts'
import { textFinder } from './text-finder.ts'

const minLength = 4
/** A shorter one may be a word, which other texts have in other case. */
const anyCaseLength = 8
/** A longer pattern may overflow the stack when it is used, with an error that quotes it; such a text is redacted in the case that it has. */
const maxPatternLength = 4096
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

/** A function that redacts these secrets in a text, in upper and lower case too: servers and proxies change it. */
export function redactor(secrets: readonly string[]): (text: string) => string {
  const isLong = (secret: string) => secret.length > maxPatternLength
  const all = inOtherCases(secrets)
  const long = all.filter(isLong)
  const withoutLong = long.length > 0 ? exactRedactor(long) : (text: string) => text
  const patterns = longestFirst(all.filter((secret) => !isLong(secret))).map((secret) =>
    patternOf(secret, () => new RegExp(escaped(secret), secret.length < anyCaseLength ? 'gu' : 'giu')),
  )
  return (text) => patterns.reduce((redacted, pattern) => redacted.replace(pattern, '•••'), withoutLong(text))
}

/** Every run of a check has the same secrets. */
const patternOf = memoize<RegExp>(1000)

/** The same for texts of the config file itself, which says what it means in the case that it has. */
export function exactRedactor(secrets: readonly string[], replacement = (_secret: string) => '•••'): (text: string) => string {
  const find = textFinder(secrets, { minLength })
  return (text) => {
    let [redacted, from] = ['', 0]
    for (const { start, end } of find(text)) {
      redacted += text.slice(from, start) + replacement(text.slice(start, end))
      from = end
    }
    return redacted + text.slice(from)
  }
}

function longestFirst(secrets: readonly string[]): readonly string[] {
  return secrets.filter((secret) => secret.length >= minLength).sort((one, other) => other.length - one.length)
}

/** With those whose length changes with their case, such as ß and SS: a pattern that ignores case does not find them. */
function inOtherCases(secrets: readonly string[]): readonly string[] {
  return [
    ...new Set(
      secrets.flatMap((secret) => [
        secret,
        ...[secret.toUpperCase(), secret.toLowerCase()].filter((other) => other.length !== secret.length),
      ]),
    ),
  ]
}

const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')

const maxDecodings = 3

/** Redacts also texts that are percent-encoded several times: a word is hidden as a whole where its decoded text holds a secret. */
export function deepRedactor(secrets: readonly string[]): (text: string) => string {
  const redact = redactor(secrets)
  const isSecret = (text: string) => redact(text) !== text
  const holdsSecret = (word: string, decodings = 0): boolean => {
    if (isSecret(word) || isSecret(word.replaceAll('+', ' '))) return true
    const decoded = word.replace(/(?:%[0-9a-f]{2})+/gi, percentDecoded)
    return decoded !== word && decodings < maxDecodings && holdsSecret(decoded, decodings + 1)
  }
  return (text) => redact(text).replace(/[^\s"'<>]+/g, (word) => (word.includes('%') && holdsSecret(word) ? '•••' : word))
}

/**
 * The redacted beginning of a text that may be only the beginning of a longer one. Where it is, or where it is cut, as many characters
 * are dropped as a secret may have there whose end is missing.
 */
export function redactedStart(
  text: string,
  { complete, maxLength }: { readonly complete: boolean; readonly maxLength: number },
  secrets: readonly string[],
): string {
  const longest = longestOf(secrets)
  const start = deepRedactor(secrets)(text.slice(0, maxLength + longest))
  const isWhole = complete && text.length <= maxLength + longest
  return isWhole ? start.slice(0, maxLength) : wholeWords(start, Math.min(maxLength, Math.max(0, start.length - longest + 1)))
}

/** The redacted end of a text, of about `maxLength` characters; where it is cut, without what may be the end of a secret. */
export function redactedEnd(text: string, maxLength: number, secrets: readonly string[]): string {
  const end = redactor(secrets)(text.slice(-2 * maxLength))
  const isWhole = text.length <= 2 * maxLength
  const shown = isWhole ? end : end.slice(longestOf(secrets))
  return isWhole && shown.length <= maxLength ? shown : `…${shown.slice(-maxLength).replace(/^[\udc00-\udfff]/, '')}`
}

const longestOf = (secrets: readonly string[]) => Math.max(1, ...inOtherCases(secrets).map(({ length }) => length))

/** The text up to `end`, without a word that is cut there and percent-encoded: a secret in it may be longer than it was written. */
function wholeWords(text: string, end: number): string {
  const begin = Math.max(...separators.map((separator) => text.lastIndexOf(separator, end - 1))) + 1
  const word = text.slice(begin).split(/[ \n"'<>]/, 1)[0] ?? ''
  return text.slice(0, word.includes('%') ? begin : end)
}

const separators = [' ', '\n', '"', "'", '<', '>']

const secretProperty = /(["'])([^"'\\\n]{1,64})\1(\s*:\s*)"(?:[^"\\]|\\.)*(?:"|\\?$)/g
const secretParameter = /([\w.%[\]-]{1,64})=([^&\s"'<>;]+)/g

/** A text without the values of JSON properties and URL parameters whose names mark them as secret: credentials that a target issues. */
export function withoutIssuedSecrets(text: string): string {
  return text
    .replace(secretProperty, (found, quote: string, name: string, colon: string) =>
      isSecretName(name) ? `${quote}${name}${quote}${colon}"•••"` : found,
    )
    .replace(secretParameter, (found, name: string) => (isSecretName(name) ? `${name}=•••` : found))
}

/** Whether the value of a response header may be a credential. */
export function isSecretHeader(name: string): boolean {
  return /^set-cookie2?$/i.test(name) || (isSecretName(name) && !/^www-authenticate$/i.test(name))
}

/** A text and its encodings in URLs, JSON, headers and markup. */
export function encodings(text: string): readonly string[] {
  const inUrls = [encodeURIComponent(text), new URLSearchParams({ '': text }).toString().slice(1), inPath(text)]
  const json = JSON.stringify(text).slice(1, -1)
  const written = [text, ...inUrls, json, json.replaceAll('/', '\\/'), escapeMarkup(text), Buffer.from(text).toString('base64')]
  return [...new Set([...written, percentDecoded(text), ...inUrls.map(withLowerHex)])]
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
