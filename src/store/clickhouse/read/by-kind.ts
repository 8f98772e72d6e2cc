import { grouped } from '../../../collections/lists.ts'
import type { CheckRef } from '../../store.ts'
import type { BoundSql } from './bucket-sql.ts'

type KindOptions = {
  /** One per check, in order; null for a check without one. */
  readonly kinds: readonly (string | null)[]
  /** SQL of the value for rows of this kind, of the type `Nullable(Float64)`. */
  readonly sqlOf: (kind: string) => string
  /** Name of the parameter that holds the kind numbers. */
  readonly name: string
}

const none = 'CAST(NULL AS Nullable(Float64))'

/** An SQL expression for a value that depends on a row's check. */
export function byKind(checks: readonly CheckRef[], { kinds, sqlOf, name }: KindOptions): BoundSql {
  const found = [...grouped(kinds, (kind) => kind).keys()]
  const [only] = found
  if (only === undefined || (found.length === 1 && only === null)) return { sql: none, params: {} }
  if (found.length === 1) return { sql: sqlOf(only ?? ''), params: {} }
  const named = found.flatMap((kind) => kind ?? [])
  const numbers = kinds.map((kind) => (kind === null ? 0 : named.indexOf(kind) + 1))
  const { sql: number, params } = numberByCheck(checks, numbers, name)
  return { sql: `multiIf(${named.map((kind, i) => `${number} = ${i + 1}, ${sqlOf(kind)}`).join(', ')}, NULL)`, params }
}

/** An SQL expression for a number that depends on a row's check; `name` is the parameter that holds the numbers. */
export function numberByCheck(checks: readonly CheckRef[], numbers: readonly number[], name: string): BoundSql {
  const isOneAccount = checks.every(({ account }) => account === checks[0]?.account)
  const key = isOneAccount ? 'checkId' : "concat(account, '/', checkId)"
  return {
    sql: `transform(${key}, {kindOf:Array(String)}, {${name}:Array(UInt32)}, 0)`,
    params: {
      kindOf: checks.map(({ account, checkId }) => (isOneAccount ? checkId : `${account}/${checkId}`)),
      [name]: numbers,
    },
  }
}
