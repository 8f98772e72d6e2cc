import { deflateRawSync, inflateRawSync } from 'node:zlib'

/** Evidence of a run, in addition to its result. Its texts are redacted before they come here. */
export type Evidence = {
  readonly attempts: readonly AttemptEvidence[]
  /** A JPEG of the page on which the last attempt failed. */
  readonly screenshot: Uint8Array | null
}

export type AttemptEvidence = {
  readonly startedAt: number
  /** Why the attempt failed. */
  readonly error: string | null
  readonly assertions: readonly { readonly text: string; readonly passed: boolean; readonly actual: string }[]
  readonly response: ResponseEvidence | null
  readonly steps: readonly { readonly title: string; readonly durationMs: number; readonly error: string | null }[]
  /** Output of the run, and messages of the browser. */
  readonly messages: readonly string[]
}

type ResponseEvidence = {
  readonly status: number | null
  readonly headers: readonly { readonly name: string; readonly value: string }[]
  /** Its beginning; null where it is not text. */
  readonly body: string | null
  readonly truncated: boolean
}

export type EvidenceLimits = {
  /** Bytes of the compressed evidence without its screenshot. */
  readonly evidenceBytes: number
  readonly screenshotBytes: number
}

const lengthBytes = 4
/** The details of one result, decompressed. */
export const maxDetailsBytes = 1024 * 1024
const maxTextLength = 8192
const minTextLength = 64

/** Encodes evidence within its limits: where it is too large, texts and lists are cut. Null where nothing of it fits. */
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

/** Throws where it is no evidence, or its details are too large. */
export function decodeEvidence(bytes: Uint8Array): Evidence {
  return decodeMeasured(bytes, maxStoredBytes).evidence
}

/** The same, with the size of its details once they are decompressed. */
export function decodeMeasured(bytes: Uint8Array, maxOutputLength: number): MeasuredEvidence {
  const end = lengthBytes + new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true)
  const screenshot = bytes.subarray(end)
  const details = inflateRawSync(bytes.subarray(lengthBytes, end), { maxOutputLength })
  const attempts = JSON.parse(details.toString())
  return { evidence: { attempts, screenshot: screenshot.length > 0 ? screenshot : null }, detailsBytes: details.length }
}

export type MeasuredEvidence = { readonly evidence: Evidence; readonly detailsBytes: number }

/** The length of the details, the details, and the screenshot where there is one. */
function withScreenshot(details: Uint8Array, screenshot: Uint8Array | null): Uint8Array {
  const length = new Uint8Array(lengthBytes)
  new DataView(length.buffer).setUint32(0, details.length, true)
  return new Uint8Array(Buffer.concat([length, details, screenshot ?? new Uint8Array()]))
}

/** The same value with texts of at most this length, and lists in proportion. */
function cut<T>(value: T, textLength: number): T
function cut(value: unknown, textLength: number): unknown {
  if (typeof value === 'string') return value.length > textLength ? `${value.slice(0, textLength - 1)}…` : value
  if (Array.isArray(value)) return value.slice(0, textLength / 16).map((item) => cut(item, textLength))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, cut(inner, textLength)]))
}
