import type { CheckRef, QuestionOptions, Result } from '../../store.ts'
import type { Connection, StatementSettings } from '../connection.ts'
import { ofCheck } from './select-results.ts'

type EvidenceOptions = { readonly connection: Connection; readonly settings: StatementSettings }

/** Reads the evidence of single results. */
export function createEvidence({ connection, settings }: EvidenceOptions) {
  return {
    async of(check: CheckRef, { id, startedAt }: Result, { signal }: QuestionOptions = {}): Promise<Uint8Array | null> {
      const sql = `SELECT hex(body) FROM evidence FINAL WHERE ${ofCheck} AND startedAt = {startedAt:Int64} AND resultId = {resultId:String}`
      const [row] = await connection.rows({ sql, params: { ...check, startedAt, resultId: id }, settings }, signal)
      return row ? new Uint8Array(Buffer.from(String(row[0]), 'hex')) : null
    },
  }
}
