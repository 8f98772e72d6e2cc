import { Compile, Type } from '../schema/typebox.ts'
import {
  decodeMeasured,
  type Evidence,
  type EvidenceLimits,
  encodeEvidence,
  type MeasuredEvidence,
  maxDetailsBytes,
} from '../store/evidence.ts'

/** Posted evidence in base64, and the limits of what is kept. */
type EvidenceJob = EvidenceLimits & { readonly posted: string }

/** The part to store; null for none. */
export type DecodedEvidence = Uint8Array | 'invalid' | null

/** Decodes the evidence of one body. */
export type EvidenceDecoder = (jobs: readonly EvidenceJob[]) => Promise<readonly DecodedEvidence[]>

/** Limit of the decompressed details of all evidence in a body. */
const bodyBudgetBytes = 8 * 1024 * 1024
/** Agents compress details to less. */
const maxCompressedBytes = 65_536

const text = Type.String()
const textOrNull = Type.Union([text, Type.Null()])
const attempt = Type.Object({
  startedAt: Type.Integer(),
  error: textOrNull,
  assertions: Type.Array(Type.Object({ text, passed: Type.Boolean(), actual: text })),
  response: Type.Union([
    Type.Null(),
    Type.Object({
      status: Type.Union([Type.Integer(), Type.Null()]),
      headers: Type.Array(Type.Object({ name: text, value: text })),
      body: textOrNull,
      truncated: Type.Boolean(),
    }),
  ]),
  steps: Type.Array(Type.Object({ title: text, durationMs: Type.Number(), error: textOrNull })),
  messages: Type.Array(text),
})
const attempts = Compile(Type.Array(attempt))

/** A few bytes can decompress to many: once the budget of the body is used up, the rest of its evidence is dropped. */
export function decodeWithinBudget(jobs: readonly EvidenceJob[]): readonly DecodedEvidence[] {
  let leftBytes = bodyBudgetBytes
  return jobs.map(({ posted, ...limits }) => {
    if (leftBytes < maxDetailsBytes) return null
    const bytes = postedBytes(posted)
    const decoded = bytes && decodedOrNull(bytes)
    // Evidence that cannot be decoded may have been decompressed up to the limit first.
    leftBytes -= decoded?.detailsBytes ?? (bytes ? maxDetailsBytes : 0)
    if (!bytes || !decoded) return 'invalid'
    return fits(bytes, decoded.evidence, limits) ? bytes : encodeEvidence(decoded.evidence, limits)
  })
}

/** Null if it cannot be evidence; sizes are checked before anything is decompressed. */
function postedBytes(posted: string): Uint8Array | null {
  const bytes = Buffer.from(posted, 'base64')
  if (bytes.length < 4) return null
  const compressedBytes = bytes.readUInt32LE(0)
  return compressedBytes <= Math.min(maxCompressedBytes, bytes.length - 4) ? new Uint8Array(bytes) : null
}

function decodedOrNull(bytes: Uint8Array): MeasuredEvidence | null {
  try {
    const decoded = decodeMeasured(bytes, maxDetailsBytes)
    return attempts.Check(decoded.evidence.attempts) && isJpeg(decoded.evidence.screenshot) ? decoded : null
  } catch {
    return null
  }
}

function fits(bytes: Uint8Array, { screenshot }: Evidence, { evidenceBytes, screenshotBytes }: EvidenceLimits): boolean {
  const screenshotLength = screenshot?.length ?? 0
  return screenshotLength <= screenshotBytes && bytes.length - screenshotLength - 4 <= evidenceBytes
}

function isJpeg(screenshot: Uint8Array | null): boolean {
  return screenshot === null || (screenshot[0] === 0xff && screenshot[1] === 0xd8)
}
