import { capitalized } from '../../text/capitalized.ts'

/** `statusCode` → `Status code`, `skipTls` → `Skip TLS`. */
export function wordsOf(name: string): string {
  const words = name
    .replace(/([a-z])([A-Z])/g, (_, end: string, start: string) => `${end} ${start.toLowerCase()}`)
    .replace(/\b(dns|http|id|ip|json|ssl|tls|url)\b/g, (abbreviation) => abbreviation.toUpperCase())
  return capitalized(words)
}

/** A label within a sentence. Abbreviations stay in upper case. */
export function inSentence(label: string): string {
  return /^[A-Z]{2}/.test(label) ? label : label.charAt(0).toLowerCase() + label.slice(1)
}
