import { createHash } from 'node:crypto'
import type { CheckType } from '../../checks/define.ts'
import { checkTypes } from '../../checks/registry.ts'
import type { Schemas } from '../../client/index.ts'
import { CommandFailure } from '../context.ts'
import { exportStream } from '../export/from-server.ts'
import { ask, asTyped } from '../remote/api-client.ts'
import type { Remote } from '../remote/remote.ts'
import { fetchReport, type ReportBody, type ReportRequest } from '../report/fetch-report.ts'
import { selectChecks } from './selection.ts'
import { totalOf } from './sheet.ts'
import {
  type ByRuns,
  type ByTime,
  type Sheet,
  type SheetCheck,
  type SheetEvidence,
  type SheetMaintenance,
  type SheetOutage,
  type SheetPolicy,
  type SheetWindow,
  sheetFormat,
} from './sheet-schema.ts'

type SheetRequest = Pick<Sheet, 'version' | 'generatedAt' | 'selection' | 'window' | 'policy'>

export type CollectedCheck = Pick<Schemas['Check'], 'id' | 'name' | 'checkType' | 'tags' | 'created_at'>

/** Fetches all data of a sheet from a running server. */
export async function collectSheet(remote: Remote, request: SheetRequest): Promise<Sheet> {
  const { version, generatedAt, selection, window, policy } = request
  const listed = selectChecks(await listChecks(remote), selection)
  const checks: SheetCheck[] = []
  for (const check of listed) checks.push(await collectCheck(remote, check, request))
  const maintenance = await collectMaintenance(
    remote,
    window,
    listed.map(({ id }) => id),
  )
  const total = totalOf(checks, policy)
  return { format: sheetFormat, version, generatedAt, account: remote.account, selection, window, policy, total, checks, maintenance }
}

export function listChecks(remote: Remote): Promise<readonly CollectedCheck[]> {
  return ask(remote, async (client) => {
    const listed: CollectedCheck[] = []
    for await (const page of client.pages('/v1/checks')) listed.push(...page)
    return listed
  })
}

export async function collectCheck(
  remote: Remote,
  { id, name, checkType }: Pick<CollectedCheck, 'id' | 'name' | 'checkType'>,
  { window, policy }: Pick<Sheet, 'window' | 'policy'>,
): Promise<SheetCheck> {
  const check = { checkType: typeOf(checkType), id }
  const [byRuns, byTime, outages, evidence] = await Promise.all([
    fetchRow(remote, { ...check, query: windowQuery(window) }).then(toByRuns),
    fetchRow(remote, { ...check, query: timeQuery(window, policy) }).then(toByTime),
    fetchOutages(remote, id, { window, policy }),
    hashExport(remote, id, window),
  ])
  return { id, name, checkType, byRuns, byTime, outages, evidence }
}

/** Maintenances that overlap the window and apply to any of the checks, ordered by start. */
export async function collectMaintenance(
  remote: Remote,
  window: SheetWindow,
  ids: readonly string[],
): Promise<readonly SheetMaintenance[]> {
  const { data } = await ask(remote, (client) => client.GET('/v1/maintenance', { params: { query: windowQuery(window) } }))
  const isListed = new Set(ids)
  return data
    .map(({ name, from, to, checkIds }) => ({ name, from, to, checkIds: checkIds.filter((id) => isListed.has(id)) }))
    .filter(({ checkIds }) => checkIds.length > 0)
    .sort((a, b) => Date.parse(a.from) - Date.parse(b.from))
}

function typeOf(type: string): CheckType {
  const checkType = checkTypes.find((one) => one.type === type)
  if (!checkType) throw new CommandFailure(`This version of tidemark does not support the check type ${type}. Update it.`)
  return checkType
}

const windowQuery = ({ from, to }: SheetWindow) => ({ from, to })

function timeQuery(window: SheetWindow, { serviceHours, ...policy }: SheetPolicy): ReportRequest['query'] {
  return { ...windowQuery(window), availabilityBy: 'time', ...policy, ...(serviceHours !== null && { serviceHours }) }
}

type FigureRow = Readonly<Record<string, number | null>>

async function fetchRow(remote: Remote, { query, ...check }: ReportRequest): Promise<FigureRow> {
  const body = JSON.parse(await fetchReport(remote, { ...check, query: { metrics: 'availability', ...query } })) as ReportBody
  return (body.series[0]?.data[0] ?? {}) as FigureRow
}

function toByRuns({ total = null, success = null, availability = null }: FigureRow): ByRuns {
  return { total: total ?? 0, success: success ?? 0, availability }
}

function toByTime(row: FigureRow): ByTime {
  const { availability = null, upSeconds, degradedSeconds, downSeconds, maintenanceSeconds, unknownSeconds } = row
  return {
    availability,
    upSeconds: upSeconds ?? 0,
    degradedSeconds: degradedSeconds ?? 0,
    downSeconds: downSeconds ?? 0,
    maintenanceSeconds: maintenanceSeconds ?? 0,
    unknownSeconds: unknownSeconds ?? 0,
  }
}

async function fetchOutages(
  remote: Remote,
  id: string,
  { window, policy }: Pick<Sheet, 'window' | 'policy'>,
): Promise<readonly SheetOutage[]> {
  const quorum = asTyped<{ quorum?: 'majority' }>({ quorum: policy.quorum })
  const query = { ...windowQuery(window), ...quorum, checkId: [id], minSeconds: policy.minOutageSeconds, limit: 1000 }
  return ask(remote, async (client) => {
    const outages: SheetOutage[] = []
    for await (const page of client.pages('/v1/analytics/outages', { params: { query } })) outages.push(...page.outages.map(toOutage))
    return outages.reverse()
  })
}

/** Picks the properties of a sheet, in the sheet's order. */
function toOutage(outage: SheetOutage): SheetOutage {
  const { from, to, seconds, locations, reason, firstResultId, lastResultId, maintenance } = outage
  return { from, to, seconds, locations, reason: reason || null, firstResultId, lastResultId, maintenance }
}

const lineFeed = 0x0a

/** Streams the export, so that its size does not matter. */
async function hashExport(remote: Remote, id: string, window: SheetWindow): Promise<SheetEvidence> {
  const stream = await exportStream(remote, id, { format: 'ndjson', ...windowQuery(window) })
  const sha256 = createHash('sha256')
  let [results, bytes] = [0, 0]
  for await (const chunk of stream) {
    sha256.update(chunk)
    bytes += chunk.length
    for (let at = chunk.indexOf(lineFeed); at !== -1; at = chunk.indexOf(lineFeed, at + 1)) results++
  }
  return { results, bytes, sha256: sha256.digest('hex') }
}
