import { memoize } from '../../cache/cache.ts'
import { escapeMarkup } from '../../text/escape-markup.ts'
import { percentDecoded } from '../../text/percent-decoded.ts'
import { percentEncoded, wellFormed } from '../../text/percent-encoded.ts'
import { textFinder } from './text-finder.ts'

const minLength = 4
/** Shorter secrets are matched case-sensitively: they may be ordinary words. */
const anyCaseLength = 8
/**
 * Longer patterns may overflow the stack of the regex engine, with an error that quotes them. Such secrets are matched as text,
 * case-sensitively.
 */
const maxPatternLength = 4096
const publicHeaders = /^(accept.*|cache-control|connection|content-.*|host|origin|pragma|referer|user-agent)$/i

/** The secret texts in a request's headers; the authentication scheme is not one of them. */
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

/** Redacts these secrets in a text. Ignores the case of longer ones, since servers and proxies may change it. */
export function redactor(secrets: readonly string[]): (text: string) => string {
  const isLong = (secret: string) => secret.length > maxPatternLength
  const all = inOtherCases(secrets)
  const long = all.filter(isLong)
  const withoutLong = long.length > 0 ? exactRedactor(long) : (text: string) => text
  const candidatesIn = candidateFinder(longestFirst(all.filter((secret) => !isLong(secret))))
  return (text) => {
    const start = withoutLong(text)
    return candidatesIn(start).reduce((redacted, secret) => redacted.replace(patternFor(secret), '•••'), start)
  }
}

function patternFor(secret: string): RegExp {
  return patternOf(secret, () => new RegExp(escaped(secret), secret.length < anyCaseLength ? 'gu' : 'giu'))
}

/** With fewer secrets, looking for all of them takes less time. */
const leastFiltered = 16
/** The characters that are equal to an ASCII letter but for their case: ſ and the Kelvin sign. */
const equalToAscii = /[\u017f\u212a]/

/**
 * Finds the secrets that a text has, perhaps in another case, in the same order: a check may have a thousand secrets, and its run a thousand
 * texts. Only looks for those whose beginning a text has.
 */
function candidateFinder(secrets: readonly string[]): (text: string) => readonly string[] {
  if (secrets.length < leastFiltered) return () => secrets
  /** Empty for those that only a pattern can find. */
  const lowered = secrets.map((secret) => (isAscii(secret) ? secret.toLowerCase() : ''))
  const beginnings = lowered.map((secret) => secret.slice(0, minLength))
  const known = new Set(beginnings)
  /** The first two characters of each, which rules out most places in a text. */
  const pairs = new Uint8Array(2 ** 14)
  const pairAt = (text: string, at: number) => (text.charCodeAt(at) << 7) | text.charCodeAt(at + 1)
  for (const beginning of beginnings) if (beginning !== '') pairs[pairAt(beginning, 0)] = 1
  return (text) => {
    if (equalToAscii.test(text)) return secrets
    const lower = text.toLowerCase()
    const found = new Set(known.has('') ? [''] : [])
    for (let at = 0; at + minLength <= lower.length; at++) {
      if (pairs[pairAt(lower, at)] !== 1) continue
      const beginning = lower.slice(at, at + minLength)
      if (known.has(beginning)) found.add(beginning)
    }
    return found.size === 0 ? [] : secrets.filter((_, index) => found.has(beginnings[index] ?? '') && lower.includes(lowered[index] ?? ''))
  }
}

const isAscii = (text: string) => /^[\x00-\x7f]*$/.test(text)

/** Cached, since every run of a check has the same secrets. */
const patternOf = memoize<RegExp>(1000)

/** A case-sensitive redactor, for texts in which secrets appear exactly as written in the config file. */
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

/** Adds case variants of a different length, such as SS for ß: a case-insensitive pattern does not match them. */
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

/** Also redacts texts that are percent-encoded several times: a word is hidden as a whole if its decoded text holds a secret. */
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
 * The redacted beginning of a text, which may itself be incomplete. At a cut, as many characters are dropped as the longest secret has,
 * since a truncated secret would not be found.
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

/** The redacted end of a text, about `maxLength` characters; at a cut, without what may be the end of a secret. */
export function redactedEnd(text: string, maxLength: number, secrets: readonly string[]): string {
  const end = redactor(secrets)(text.slice(-2 * maxLength))
  const isWhole = text.length <= 2 * maxLength
  const shown = isWhole ? end : end.slice(longestOf(secrets))
  return isWhole && shown.length <= maxLength ? shown : `…${shown.slice(-maxLength).replace(/^[\udc00-\udfff]/, '')}`
}

const longestOf = (secrets: readonly string[]) => Math.max(1, ...inOtherCases(secrets).map(({ length }) => length))

/** The text up to `end`, without a percent-encoded word that is cut there: an encoded secret is longer than the secret itself. */
function wholeWords(text: string, end: number): string {
  const begin = Math.max(...separators.map((separator) => text.lastIndexOf(separator, end - 1))) + 1
  const word = text.slice(begin).split(/[ \n"'<>]/, 1)[0] ?? ''
  return text.slice(0, word.includes('%') ? begin : end)
}

const separators = [' ', '\n', '"', "'", '<', '>']

const secretProperty = /(["'])([^"'\\\n]{1,64})\1(\s*:\s*)"(?:[^"\\]|\\.)*(?:"|\\?$)/g
const secretParameter = /([\w.%[\]-]{1,64})=([^&\s"'<>;]+)/g

/** Redacts credentials that a target issues: values of JSON properties and URL parameters whose names mark them as secret. */
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
  const sent = wellFormed(text)
  const inUrls = [percentEncoded(sent), new URLSearchParams({ '': sent }).toString().slice(1), inPath(sent)]
  const json = [text, sent].map((one) => JSON.stringify(one).slice(1, -1))
  const inJson = [...json, ...json.map((one) => one.replaceAll('/', '\\/'))]
  const written = [sent, ...inUrls, ...inJson, escapeMarkup(sent), Buffer.from(sent).toString('base64')]
  return [...new Set([text, ...written, percentDecoded(sent), ...inUrls.map(withLowerHex)])]
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
