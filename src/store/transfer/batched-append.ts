import { dayMs } from '../../time.ts'
import type { FiledResult } from '../store.ts'
import type { Destination } from './contents.ts'

/** Limits of a batch. Two batches are in memory at a time. */
const maxResults = 10_000
const maxEvidenceBytes = 8 * 2 ** 20
/** ClickHouse refuses an insert into more than a hundred months. */
const maxDistanceMs = 4 * 365 * dayMs

/** Appends results in large batches, which may span checks; reading continues while a batch is stored. */
export function createBatchedAppend({ append }: Pick<Destination, 'append'>) {
  let batch: FiledResult[] = []
  let evidenceBytes = 0
  let storing: Promise<void> = Promise.resolve()
  let added = 0

  const store = async (results: readonly FiledResult[]): Promise<void> => {
    const { duplicates } = await append(results)
    added += results.length - duplicates.length
  }
  const send = async (): Promise<void> => {
    if (batch.length === 0) return
    const full = batch
    batch = []
    evidenceBytes = 0
    await storing
    storing = store(full)
    storing.catch(() => {})
  }
  const hasRoomFor = ({ result }: FiledResult): boolean => {
    const distanceMs = Math.abs(result.startedAt - (batch[0]?.result.startedAt ?? result.startedAt))
    return batch.length < maxResults && evidenceBytes < maxEvidenceBytes && distanceMs < maxDistanceMs
  }
  return {
    async add(results: readonly FiledResult[]): Promise<void> {
      for (const filed of results) {
        if (!hasRoomFor(filed)) await send()
        batch.push(filed)
        evidenceBytes += filed.evidence?.length ?? 0
      }
    },
    /** Resolves once everything is stored. */
    async flush(): Promise<void> {
      await send()
      await storing
    },
    /** Number of results that were new. */
    added: () => added,
  }
}

export type BatchedAppend = ReturnType<typeof createBatchedAppend>
