import { checkKey } from '../../../ids/check-ref.ts'
import { memoryPart } from '../../query/parts/memory-part.ts'
import { comparePositions, resultId } from '../../query/parts/stored-result.ts'
import type { CheckRef, FiledResult } from '../../store.ts'
import { encodeSegment } from '../columns/encoded-results.ts'
import type { EvidenceRow } from '../disk/evidence.ts'

/** Results of one check, encoded for the writer thread: passing many small objects to a thread is slow. */
export type Batch = {
  readonly check: CheckRef
  readonly segment: Uint8Array
  readonly evidence: readonly RowEvidence[]
  /** When the newest result arrived. */
  readonly arrivedAt: number
}

/** The evidence of the result in a row of the segment. */
type RowEvidence = EvidenceRow & { readonly row: number }

type Batches = { readonly batches: readonly Batch[]; readonly indexes: readonly number[][] }

/** One batch per check; `indexes` has, for each row of a batch, the index of its result in `filed`. */
export function toBatches(filed: readonly FiledResult[], now: number): Batches {
  const indexes = indexesByCheck(filed)
  return { batches: indexes.map((own) => batchOf(filed, own, now)), indexes }
}

function indexesByCheck(filed: readonly FiledResult[]): number[][] {
  const byName = new Map<string, number[]>()
  let last: CheckRef | null = null
  let indexes: number[] = []
  for (let i = 0; i < filed.length; i++) {
    const { check } = filed[i] as FiledResult
    if (check !== last) {
      const name = checkKey(check)
      indexes = byName.get(name) ?? []
      byName.set(name, indexes)
      last = check
    }
    indexes.push(i)
  }
  return [...byName.values()]
}

/** Sorts `indexes` in place, by the order of their results. */
function batchOf(filed: readonly FiledResult[], indexes: number[], now: number): Batch {
  const { check } = filed[indexes[0] as number] as FiledResult
  const resultAt = (index: number) => (filed[index] as FiledResult).result
  const compare = (a: number, b: number) => comparePositions(resultAt(a), resultAt(b))
  if (indexes.some((index, i) => i > 0 && compare(indexes[i - 1] as number, index) > 0)) indexes.sort(compare)
  const { arrivedAt = now } = filed[indexes.at(-1) as number] as FiledResult
  return { check, segment: encodeSegment(memoryPart(indexes.map(resultAt))), evidence: evidenceOf(filed, indexes), arrivedAt }
}

function evidenceOf(filed: readonly FiledResult[], indexes: readonly number[]): RowEvidence[] {
  const found: RowEvidence[] = []
  for (const [row, index] of indexes.entries()) {
    const { check, result, evidence } = filed[index] as FiledResult
    if (evidence) found.push({ row, startedAt: result.startedAt, resultId: resultId(check, result), body: evidence })
  }
  return found
}
