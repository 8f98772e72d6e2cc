import { lruCache } from '../cache/cache.ts'
import type { CheckType } from '../checks/define.ts'
import { checkKey } from '../ids/check-ref.ts'
import type { CheckRef, NewResult, Store } from '../store/store.ts'
import { type Rejection, rejection } from './rejections.ts'

/** Maximum numbers of distinct locations of a check, and of distinct values of each field that can be grouped by. */
type CardinalityLimits = { readonly locations: number; readonly statusCodes: number }

/** Bounds the cardinality of a check's dimensions, since locations and status codes are held in memory and in responses. */
export type Cardinality = { of(check: CheckRef, checkType: CheckType): AdmitResult }
/** Rejects a result that would add one value too many; else remembers its values. */
export type AdmitResult = (result: NewResult) => Rejection | undefined

type Options = { readonly store: Pick<Store, 'latest' | 'aggregate'>; readonly limits: () => CardinalityLimits }
type Codes = { readonly seen: Set<number>; isStoreAsked: boolean }
type Known = { readonly locations: Set<string>; readonly byField: ReadonlyMap<string, Codes> }

const maxChecks = 20_000
/** Few checks ever have more distinct codes. The store is queried only for those, since it has to read all results. */
const usualCodes = 20

/** The values of stored results also count, once they have been read from the store. */
export function createCardinality({ store, limits }: Options): Cardinality {
  const known = lruCache<string, Known>(maxChecks)
  const load = (check: CheckRef, { groupBy }: CheckType): Known => {
    const fields = groupBy.flatMap((dimension) => (dimension.by === 'field' ? [dimension.name] : []))
    const locations = new Set<string>()
    store.latest([check]).then(
      ([latest]) => {
        for (const { runLocation } of latest?.byLocation ?? []) locations.add(runLocation)
      },
      () => undefined,
    )
    return { locations, byField: new Map(fields.map((name) => [name, { seen: new Set<number>(), isStoreAsked: false }])) }
  }
  const addStored = (check: CheckRef, name: string, codes: Codes): void => {
    codes.isStoreAsked = true
    storedCodes(store, check, name).then(
      (stored) => {
        for (const code of stored) codes.seen.add(code)
      },
      () => {
        codes.isStoreAsked = false
      },
    )
  }
  return {
    of: (check, checkType) => {
      const { locations, byField } = known.getOrCreate(checkKey(check), () => load(check, checkType))
      return ({ runLocation, values }) => {
        const limit = limits()
        if (!admits(locations, runLocation, limit.locations)) return tooMany('runLocation', limit.locations, 'locations')
        for (const [name, codes] of byField) {
          const code = values[name]
          if (code === undefined || codes.seen.has(code)) continue
          if (!codes.isStoreAsked && codes.seen.size >= Math.min(usualCodes, limit.statusCodes) - 1) addStored(check, name, codes)
          if (codes.seen.size >= limit.statusCodes) return tooMany(name, limit.statusCodes, 'statusCodes')
        }
        locations.add(runLocation)
        for (const [name, { seen }] of byField) if (values[name] !== undefined) seen.add(values[name])
        return undefined
      }
    },
  }
}

async function storedCodes(store: Options['store'], check: CheckRef, name: string): Promise<readonly number[]> {
  const query = {
    window: { from: 0, to: Number.MAX_SAFE_INTEGER },
    filter: null,
    rowPage: { offset: 0, limit: 1 },
    groupPage: null,
    sources: [{ check, columns: [], labels: [] }],
    groupBy: [{ by: 'field', name }],
    figures: [],
    counts: true,
    buckets: null,
    fill: null,
    histogram: null,
  } as const
  const { groups } = await store.aggregate(query, { caller: { account: check.account, key: '' } })
  return groups.flatMap(({ keys: [key] }) => (typeof key === 'number' ? [key] : []))
}

const admits = <T>(known: ReadonlySet<T>, value: T, limit: number) => known.has(value) || known.size < limit

const tooMany = (name: string, limit: number, setting: keyof CardinalityLimits) =>
  rejection('TOO_MANY_VALUES', { name, limit: String(limit), setting })
