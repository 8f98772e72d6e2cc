import { checkKey } from '../../src/ids/check-ref.ts'
import { type Store, StoreUnavailable } from '../../src/store/store.ts'

/** Wraps `append`: results of the given check ids are rejected, as by an unavailable shard. */
export function refusingChecks(append: Store['append'], refused: ReadonlySet<string>): Store['append'] {
  return async (results) => {
    const indexes = results.flatMap(({ check }, i) => (refused.has(check.checkId) ? [] : i))
    const appended = await append(indexes.flatMap((i) => results[i] ?? []))
    if (indexes.length === results.length) return appended
    const refusedChecks = new Set(results.filter(({ check }) => refused.has(check.checkId)).map(({ check }) => checkKey(check)))
    const duplicates = appended.duplicates.flatMap((i) => indexes[i] ?? [])
    throw new StoreUnavailable('Too few replicas.', 5, { publicReason: 'A shard is away.', partly: { duplicates, refusedChecks } })
  }
}
