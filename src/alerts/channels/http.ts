import { urlParts } from '../../checks/probe/http/http-request.ts'
import { percentDecoded } from '../../text/percent-decoded.ts'
import { withoutTrailingSlashes } from '../../text/without-trailing-slashes.ts'
import { dayMs } from '../../time.ts'
import type { ChannelAnswer, ChannelRequest, DeliveryOutcome } from './channel.ts'

type Headers = Readonly<Record<string, string>>

export function jsonRequest(url: string, body: unknown, headers: Headers = {}): ChannelRequest {
  return { method: 'POST', url, headers: { 'Content-Type': 'application/json', ...headers }, body: JSON.stringify(body) }
}

/** An address below a base URL, which may end with a slash. */
export function below(base: string, path: string): string {
  const { protocol, host, username, password, pathname } = new URL(base)
  const credentials = username === '' && password === '' ? '' : `${username}:${password}@`
  return `${protocol}//${credentials}${host}${withoutTrailingSlashes(pathname)}${path}`
}

const retried: readonly number[] = [408, 425, 429]

/** The usual interpretation of an answer. */
export function deliveryOutcome(answer: ChannelAnswer, now: number, askedMs: number | null = null): DeliveryOutcome {
  const { status, headers } = answer
  const text = answerText(answer)
  if (status >= 200 && status < 300) return { outcome: 'delivered', answer: text }
  if (status >= 500 || retried.includes(status)) {
    return { outcome: 'retry', answer: text, afterMs: bounded(askedMs ?? retryAfterMs(headers['retry-after'], now)) }
  }
  if (status >= 300 && status < 400) return { outcome: 'broken', answer: `${text} (redirects are not followed)` }
  return { outcome: 'broken', answer: text }
}

function bounded(askedMs: number | null): number | null {
  return askedMs === null || !Number.isFinite(askedMs) ? null : Math.min(Math.max(0, Math.ceil(askedMs)), dayMs)
}

/** `Retry-After` in seconds or as a date. */
function retryAfterMs(text: string | undefined, now: number): number | null {
  if (text === undefined) return null
  if (/^\s*[0-9]+(\.[0-9]+)?\s*$/.test(text)) return Number(text) * 1000
  const time = Date.parse(text)
  return Number.isNaN(time) ? null : time - now
}

function answerText({ status, body }: ChannelAnswer): string {
  const text = body.trim()
  return text === '' ? String(status) : `${status} ${text}`
}

/** A number in a JSON body, such as how long to wait; null if there is none. */
export function numberIn(body: string, ...path: readonly string[]): number | null {
  try {
    const found = path.reduce<unknown>((value, name) => (isMapping(value) ? value[name] : undefined), JSON.parse(body))
    return typeof found === 'number' ? found : null
  } catch {
    return null
  }
}

function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

/** Secrets in a URL: user and password, secret parameters, and path segments that look like tokens. */
export function urlSecrets(text: string): readonly string[] {
  const { url, secrets } = urlParts(text)
  const parts = [...url.pathname.split('/').map(percentDecoded), ...url.searchParams.values()]
  return [...secrets, ...parts.filter(isTokenLike)]
}

/** Drops credentials and query, and masks path segments that look like tokens. */
export function addressOf(text: string): string {
  const { origin, pathname } = new URL(text)
  const path = pathname.split('/').map((part) => (isTokenLike(percentDecoded(part)) ? '•••' : part))
  return `${origin}${path.join('/').replace(/\/$/, '')}`
}

function isTokenLike(part: string): boolean {
  const hasDigit = /[0-9]/.test(part)
  return (
    part.length >= 24 || (part.length >= 16 && (hasDigit || /[A-Z]/.test(part))) || (part.length >= 8 && hasDigit && /[A-Za-z]/.test(part))
  )
}
