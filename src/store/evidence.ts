import { deflateRawSync, inflateRawSync } from 'node:zlib'

/** Evidence of a run, in addition to its result. All texts are already redacted. */
export type Evidence = {
  readonly attempts: readonly AttemptEvidence[]
  /** A JPEG of the page on which the last attempt failed. */
  readonly screenshot: Uint8Array | null
}

export type AttemptEvidence = {
  readonly startedAt: number
  readonly error: string | null
  readonly assertions: readonly { readonly text: string; readonly passed: boolean; readonly actual: string }[]
  readonly response: ResponseEvidence | null
  readonly steps: readonly { readonly title: string; readonly durationMs: number; readonly error: string | null }[]
  /** Output of the run, and browser messages. */
  readonly messages: readonly string[]
}

type ResponseEvidence = {
  readonly status: number | null
  readonly headers: readonly { readonly name: string; readonly value: string }[]
  /** The beginning of the body; null if it is not text. */
  readonly body: string | null
  readonly truncated: boolean
}

export type EvidenceLimits = {
  /** Bytes of the compressed evidence without its screenshot. */
  readonly evidenceBytes: number
  readonly screenshotBytes: number
}

const lengthBytes = 4
/** Limit of the decompressed details of one result. */
export const maxDetailsBytes = 1024 * 1024
const maxTextLength = 8192
const minTextLength = 64

/** Encodes evidence within the limits; truncates texts and lists if it is too large. Null if it still does not fit. */
export function encodeEvidence({ attempts, screenshot }: Evidence, limits: EvidenceLimits): Uint8Array | null {
  for (let textLength = maxTextLength; textLength >= minTextLength; textLength /= 2) {
    const text = Buffer.from(JSON.stringify(cut(attempts, textLength)))
    if (text.length > maxDetailsBytes) continue
    const details = deflateRawSync(text)
    if (details.length <= limits.evidenceBytes)
      return withScreenshot(details, screenshot && screenshot.length <= limits.screenshotBytes ? screenshot : null)
  }
  return null
}

/** Evidence of earlier versions may be larger than the current limit. */
const maxStoredBytes = 8 * maxDetailsBytes

/** Throws if the bytes are not evidence, or the details are too large. */
export function decodeEvidence(bytes: Uint8Array): Evidence {
  return decodeMeasured(bytes, maxStoredBytes).evidence
}

/** As `decodeEvidence`, with the decompressed size of the details. */
export function decodeMeasured(bytes: Uint8Array, maxOutputLength: number): MeasuredEvidence {
  const end = lengthBytes + new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true)
  const screenshot = bytes.subarray(end)
  const details = inflateRawSync(bytes.subarray(lengthBytes, end), { maxOutputLength })
  const attempts = JSON.parse(details.toString())
  return { evidence: { attempts, screenshot: screenshot.length > 0 ? screenshot : null }, detailsBytes: details.length }
}

export type MeasuredEvidence = { readonly evidence: Evidence; readonly detailsBytes: number }

/** Layout: the length of the details, the details, and the screenshot if there is one. */
function withScreenshot(details: Uint8Array, screenshot: Uint8Array | null): Uint8Array {
  const length = new Uint8Array(lengthBytes)
  new DataView(length.buffer).setUint32(0, details.length, true)
  return new Uint8Array(Buffer.concat([length, details, screenshot ?? new Uint8Array()]))
}

/** Truncates texts to `textLength`, and lists in proportion. */
function cut<T>(value: T, textLength: number): T
function cut(value: unknown, textLength: number): unknown {
  if (typeof value === 'string') return value.length > textLength ? `${value.slice(0, textLength - 1)}…` : value
  if (Array.isArray(value)) return value.slice(0, textLength / 16).map((item) => cut(item, textLength))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, cut(inner, textLength)]))
}
