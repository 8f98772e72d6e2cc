import type { EvidenceMode } from '../catalogue/catalogue.ts'
import { Compile, Type } from '../schema.ts'
import { decodeEvidence, type Evidence, type EvidenceLimits, encodeEvidence } from '../store/evidence.ts'
import { rejection } from './rejections.ts'
import { isObject, isRejection, type RowReader } from './row.ts'

/** Which evidence of a check is kept, and how much of it. */
export type EvidenceRules = EvidenceLimits & { readonly mode: EvidenceMode }

const expected = 'what a run can show, as an agent encodes it'
/** Evidence is compressed, and a few bytes could become many. */
const maxDecodedBytes = 1024 * 1024

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

/** Reads rows that may have evidence beside their result. Where none is kept of such a result, it is left out. */
export function evidenceReader(reader: RowReader, rulesOf: (checkId: string) => EvidenceRules): RowReader {
  return {
    readPlain: reader.readPlain,
    read(row) {
      if (!isObject(row) || row.evidence === undefined) return reader.read(row)
      const { evidence: posted, ...plain } = row
      const read = reader.read(plain)
      if (isRejection(read)) return read
      const evidence = decoded(posted)
      if (evidence === undefined) return rejection('INVALID_PROPERTY', { name: 'evidence', expected })
      const kept = keptEvidence(evidence, read.result.hasFailures, rulesOf(read.check.checkId))
      return kept ? { ...read, evidence: kept } : read
    },
  }
}

function keptEvidence(evidence: Evidence, hasFailures: boolean, { mode, ...limits }: EvidenceRules): Uint8Array | null {
  return mode === 'all' || (mode === 'failures' && hasFailures) ? encodeEvidence(evidence, limits) : null
}

function decoded(value: unknown): Evidence | undefined {
  if (typeof value !== 'string') return undefined
  try {
    const evidence = decodeEvidence(Buffer.from(value, 'base64'), maxDecodedBytes)
    return attempts.Check(evidence.attempts) && isJpeg(evidence.screenshot) ? evidence : undefined
  } catch {
    return undefined
  }
}

function isJpeg(screenshot: Uint8Array | null): boolean {
  return screenshot === null || (screenshot[0] === 0xff && screenshot[1] === 0xd8)
}
