import { storedResults } from '../../query/parts/results-of.ts'
import type { FiledResult } from '../../store.ts'
import type { Connection } from '../connection.ts'
import { amongChecks } from '../read/among-checks.ts'
import { type LoadedColumns, loadedColumns, textsOf, wholePart } from '../read/loaded-part.ts'
import { inWindow, selectedColumns, wholeResult } from '../read/select-results.ts'
import { urlBatches } from '../read/url-batches.ts'
import type { MetricColumns } from '../schema/metric-columns.ts'
import { notVoid } from '../schema/tables.ts'
import { distinctChecks, type StoredKey, searchedTogether, startedWindow } from './known-results.ts'

export type ReadStoredRows = (keys: readonly StoredKey[]) => Promise<readonly FiledResult[]>

type StoredRowsOptions = { readonly connection: Pick<Connection, 'columns'>; readonly metrics: MetricColumns }

/** Reads whole results that were sent with ids; rows that are not visible are left out. */
export function createStoredRows({ connection, metrics }: StoredRowsOptions): ReadStoredRows {
  const { names, sql: columns } = selectedColumns(metrics, wholeResult(metrics))

  async function readSome(keys: readonly StoredKey[]): Promise<readonly FiledResult[]> {
    const { sql: among, params } = amongChecks(distinctChecks(keys))
    const sql = `SELECT account, checkId, ${columns} FROM results FINAL WHERE ${among} AND ${inWindow} AND ${notVoid} AND id IN {ids:Array(String)} ORDER BY startedAt, runLocation, id`
    const block = await connection.columns({ sql, params: { ...params, ...startedWindow(keys), ids: keys.map(({ id }) => id) } })
    const wanted = new Set(keys.map(nameOfRow))
    return filedResults(loadedColumns(['account', 'checkId', ...names], block)).filter(({ check, result }) =>
      wanted.has(nameOfRow({ ...result, check, id: result.id ?? '' })),
    )
  }

  return async (keys) => {
    const found: FiledResult[] = []
    const batches = searchedTogether(keys, (key) => key).flatMap((some) => urlBatches(some, inUrl))
    for (const some of batches) found.push(...(await readSome(some)))
    return found
  }
}

const inUrl = ({ check, id }: StoredKey) => [check.account, check.checkId, id]

function filedResults(loaded: LoadedColumns): readonly FiledResult[] {
  const [account, checkId] = [textsOf(loaded, 'account'), textsOf(loaded, 'checkId')]
  const results = storedResults(wholePart(loaded), Array(loaded.count).keys())
  return results.map((result, row) => ({ check: { account: account(row), checkId: checkId(row) }, result }))
}

/** Unique to a row. */
export const nameOfRow = ({ check, id, startedAt, runLocation }: StoredKey) =>
  JSON.stringify([check.account, check.checkId, startedAt, runLocation, id])
