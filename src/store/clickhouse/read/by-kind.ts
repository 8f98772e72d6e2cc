import { grouped } from '../../../collections/grouped.ts'
import type { CheckRef } from '../../store.ts'
import type { StatementParams } from '../connection.ts'

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
export function byKind(
  checks: readonly CheckRef[],
  { kinds, sqlOf, name }: KindOptions,
): { readonly sql: string; readonly params: StatementParams } {
  const found = [...grouped(kinds, (kind) => kind).keys()]
  const [only] = found
  if (only === undefined || (found.length === 1 && only === null)) return { sql: none, params: {} }
  if (found.length === 1) return { sql: sqlOf(only ?? ''), params: {} }
  const named = found.flatMap((kind) => kind ?? [])
  const number = `transform(concat(account, '/', checkId), {kindOf:Array(String)}, {${name}:Array(UInt8)}, 0)`
  return {
    sql: `multiIf(${named.map((kind, i) => `${number} = ${i + 1}, ${sqlOf(kind)}`).join(', ')}, NULL)`,
    params: {
      kindOf: checks.map(({ account, checkId }) => `${account}/${checkId}`),
      [name]: kinds.map((kind) => (kind === null ? 0 : named.indexOf(kind) + 1)),
    },
  }
}
