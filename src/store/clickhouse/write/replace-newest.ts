import { dayMs } from '../../../time.ts'
import { storedResults } from '../../query/parts/results-of.ts'
import type { Connection } from '../connection.ts'
import { readNewest } from '../read/latest.ts'
import { wholePart } from '../read/loaded-part.ts'
import { type SelectResults, wholeResult } from '../read/select-results.ts'
import type { MetricColumns } from '../schema/metric-columns.ts'
import { shardSettings } from '../server.ts'
import type { Arrival } from './arrival.ts'
import { encodeReplacements, type Replacement } from './encode-rows.ts'
import { distinctChecks, type StoredKey } from './known-results.ts'
import { nameOfRow } from './stored-rows.ts'

type ReplaceOptions = {
  readonly connection: Pick<Connection, 'rows' | 'insert'>
  readonly select: SelectResults
  readonly metrics: MetricColumns
  readonly nextArrival: () => Arrival
}

/** Called with results of a shard that are about to be voided. */
export type ReplaceNewest = (voided: readonly StoredKey[], shard: number) => Promise<void>

/** How far back to look for the result before a voided one; if there is none, the voided one is shown until the next run. */
const searchedMs = 31 * dayMs

/** If a voided result is the newest of its location, the result before it replaces it. */
export function createReplaceNewest({ connection, select, metrics, nextArrival }: ReplaceOptions): ReplaceNewest {
  const whole = wholeResult(metrics)

  async function replacementOf(voided: StoredKey, isVoided: (key: StoredKey) => boolean, limit: number) {
    const { check, startedAt, runLocation } = voided
    const window = { from: startedAt - searchedMs, to: startedAt }
    const where = ['runLocation = {location:String}']
    const page = { newestFirst: true, offset: 0, limit }
    const loaded = await select({ check, window, columns: whole, where, params: { location: runLocation }, page })
    const results = storedResults(wholePart(loaded), Array(loaded.count).keys())
    return results.find((result) => !isVoided({ ...result, check, id: result.id ?? '' }))
  }

  return async (voided, shard) => {
    const byName = new Map(voided.map((key) => [nameOfRow(key), key]))
    const newest = await readNewest(connection, distinctChecks(voided))
    const replacements: Replacement[] = []
    for (const { check, kind, newest: shown } of newest) {
      const key = byName.get(nameOfRow({ check, ...shown.result, id: shown.result.id ?? '' }))
      const result = key && (await replacementOf(key, (other) => byName.has(nameOfRow(other)), voided.length + 1))
      if (key && result) replacements.push({ voided: key, kind, result })
    }
    if (replacements.length === 0) return
    const { into, rows } = encodeReplacements(replacements, nextArrival())
    await connection.insert(into, rows, shardSettings(shard))
  }
}
