import type { EvidenceMode } from '../catalogue/catalogue.ts'
import { isMapping } from '../collections/mapping.ts'
import type { EvidenceLimits } from '../store/evidence.ts'
import type { FiledResult } from '../store/store.ts'
import type { DecodedEvidence, EvidenceDecoder } from './decode-evidence.ts'
import type { ReadRows } from './read-rows.ts'
import { rejection } from './rejections.ts'
import { isRejection, type RowReader } from './row.ts'

/** Which evidence of a check is kept, and its size limits. */
type EvidenceRules = EvidenceLimits & { readonly mode: EvidenceMode }

/** Posted evidence to keep with a result. */
export type PostedEvidence = { readonly filed: FiledResult; readonly at: number; readonly posted: string; readonly limits: EvidenceLimits }

const expected = 'evidence as encoded by an agent'

/** Reads rows whose results may come with evidence, and adds the evidence to `found` if the rules keep it. */
export function evidenceReader(reader: RowReader, rulesOf: (checkId: string) => EvidenceRules, found: PostedEvidence[]): RowReader {
  return {
    readPlain: reader.readPlain,
    read(row, at) {
      if (!isMapping(row) || row.evidence === undefined) return reader.read(row, at)
      const { evidence: posted, ...plain } = row
      const filed = reader.read(plain, at)
      if (isRejection(filed)) return filed
      const { mode, ...limits } = rulesOf(filed.check.checkId)
      if (mode === 'all' || (mode === 'failures' && filed.result.hasFailures))
        found.push({ filed, at, posted: typeof posted === 'string' ? posted : '', limits })
      return filed
    },
  }
}

/** The rows with the evidence that was found with them; a row whose evidence is invalid is rejected. */
export async function withEvidence(rows: ReadRows, found: readonly PostedEvidence[], decode: EvidenceDecoder): Promise<ReadRows> {
  if (found.length === 0) return rows
  const decoded = await decode(
    found.map(({ posted, limits: { evidenceBytes, screenshotBytes } }) => ({ posted, evidenceBytes, screenshotBytes })),
  )
  const byResult = new Map<FiledResult, DecodedEvidence>(found.map(({ filed }, i) => [filed, decoded[i] ?? null]))
  const invalid = found.filter((_, i) => decoded[i] === 'invalid').map(({ at }) => ({ at, ...invalidEvidence }))
  return {
    filed: rows.filed.flatMap((filed) => {
      const evidence = byResult.get(filed) ?? null
      if (evidence === 'invalid') return []
      return evidence === null ? filed : { ...filed, evidence }
    }),
    rejected: [...rows.rejected, ...invalid].toSorted((a, b) => a.at - b.at),
  }
}

const invalidEvidence = rejection('INVALID_PROPERTY', { name: 'evidence', expected })
