import { lruCache } from '../cache/lru-cache.ts'
import type { CheckType } from '../checks/define.ts'
import type { CheckRef, NewResult, Store } from '../store/store.ts'
import { type Rejection, rejection } from './rejections.ts'

/** How many different locations, and values of each field that can be grouped by, a check may have. */
export type CardinalityLimits = { readonly locations: number; readonly statusCodes: number }

/** Bounds what results of a check can be grouped by: locations and status codes have to be held in memory and in answers. */
export type Cardinality = { of(check: CheckRef, checkType: CheckType): AdmitResult }
/** The rejection of a result that would add one value too many; else its values count as known. */
export type AdmitResult = (result: NewResult) => Rejection | undefined

type Options = { readonly store: Pick<Store, 'latest'>; readonly limits: () => CardinalityLimits }
type Known = { readonly locations: Set<string>; readonly byField: ReadonlyMap<string, Set<number>> }

const maxChecks = 20_000

/** Locations are those of the stored results too, status codes those since the start of the process. */
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
    return { locations, byField: new Map(fields.map((name) => [name, new Set<number>()])) }
  }
  return {
    of: (check, checkType) => {
      const { locations, byField } = known.getOrCreate(`${check.account}\n${check.checkId}`, () => load(check, checkType))
      return ({ runLocation, values }) => {
        const limit = limits()
        if (!admits(locations, runLocation, limit.locations)) return tooMany('runLocation', limit.locations, 'locations')
        for (const [name, codes] of byField) {
          const code = values[name]
          if (code !== undefined && !admits(codes, code, limit.statusCodes)) return tooMany(name, limit.statusCodes, 'statusCodes')
        }
        locations.add(runLocation)
        for (const [name, codes] of byField) if (values[name] !== undefined) codes.add(values[name])
        return undefined
      }
    },
  }
}

const admits = <T>(known: ReadonlySet<T>, value: T, limit: number) => known.has(value) || known.size < limit

const tooMany = (name: string, limit: number, setting: keyof CardinalityLimits) =>
  rejection('TOO_MANY_VALUES', { name, limit: String(limit), setting })
