import { grouped } from '../../../collections/lists.ts'
import type { CheckRef } from '../../store.ts'
import type { BoundSql } from './bucket-sql.ts'

type KindOptions = {
  /** Of each check, in their order; null where it has none. */
  readonly kinds: readonly (string | null)[]
  /** The value of a row whose check is of a kind, of the type `Nullable(Float64)`. */
  readonly sqlOf: (kind: string) => string
  /** The name of the parameter that has the kinds. */
  readonly name: string
}

const none = 'CAST(NULL AS Nullable(Float64))'

/** An expression for a value that depends on the check of a row, and its parameters. */
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

/** An expression for a number that depends on the check of a row; `name` is that of the parameter with the numbers. */
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
