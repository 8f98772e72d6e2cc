import { type CheckRef, QueryTooLarge } from '../../store.ts'
import type { StatementParams, StatementSettings } from '../connection.ts'
import { parameterBatches } from '../parameter-batches.ts'

const checksPerStatement = 1000
/** A fifth of what a statement may read, which also bounds its time. */
const defaultRowsPerStatement = 200_000_000

/**
 * Condition that a row belongs to one of these checks, with its parameters. From its first two parts a cluster finds the shards that hold
 * such rows.
 */
export function amongChecks(checks: readonly CheckRef[]): { readonly sql: string; readonly params: StatementParams } {
  const [first] = checks
  if (first && checks.every(({ account }) => account === first.account))
    return {
      sql: 'account = {account:String} AND checkId IN {checkIds:Array(String)}',
      params: { account: first.account, checkIds: checks.map(({ checkId }) => checkId) },
    }
  return {
    sql: 'account IN {accounts:Array(String)} AND checkId IN {checkIds:Array(String)} AND (account, checkId) IN (SELECT accounts, checkIds FROM (SELECT {accounts:Array(String)} AS accounts, {checkIds:Array(String)} AS checkIds) ARRAY JOIN accounts, checkIds)',
    params: { accounts: checks.map(({ account }) => account), checkIds: checks.map(({ checkId }) => checkId) },
  }
}

/** Asks in batches of checks, and joins the answers. */
export async function inBatches<Row>(
  checks: readonly CheckRef[],
  ask: (some: readonly CheckRef[]) => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  const all: Row[] = []
  for (const some of batchesOfChecks(checks, (check) => check)) for (const row of await ask(some)) all.push(row)
  return all
}

/** Like `inBatches`, for statements that read all rows of these checks: where a batch has too many rows for one statement, it is halved. */
export async function inHalves<Row>(
  checks: readonly CheckRef[],
  ask: (some: readonly CheckRef[], settings: StatementSettings) => Promise<readonly Row[]>,
  rowsPerStatement = defaultRowsPerStatement,
): Promise<readonly Row[]> {
  const askSome = async (some: readonly CheckRef[]): Promise<readonly Row[]> => {
    if (some.length < 2) return ask(some, {})
    try {
      return await ask(some, { max_rows_to_read: String(rowsPerStatement) })
    } catch (error) {
      if (!(error instanceof QueryTooLarge)) throw error
      const half = Math.ceil(some.length / 2)
      return [...(await askSome(some.slice(0, half))), ...(await askSome(some.slice(half)))]
    }
  }
  return inBatches(checks, askSome)
}

/** Splits items into groups whose checks one statement can name. */
export function batchesOfChecks<Item>(items: readonly Item[], checkOf: (item: Item) => CheckRef): readonly (readonly Item[])[] {
  return parameterBatches(items, checksPerStatement, (item) => {
    const { account, checkId } = checkOf(item)
    return [`${account}/${checkId}`]
  })
}
