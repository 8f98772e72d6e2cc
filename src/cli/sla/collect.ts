import { createHash } from 'node:crypto'
import { checkTypes } from '../../checks/registry.ts'
import { get, okBody } from '../api-client.ts'
import { CommandFailure } from '../context.ts'
import { callServer, errorReply, type Remote } from '../remote.ts'
import { analyticsPath, type ReportBody } from '../report/fetch-report.ts'
import { selectChecks } from './selection.ts'
import { totalOf } from './sheet.ts'
import {
  type ByRuns,
  type ByTime,
  type Evidence,
  type Sheet,
  type SheetCheck,
  type SheetMaintenance,
  type SheetOutage,
  type SheetPolicy,
  type SheetWindow,
  sheetFormat,
} from './sheet-schema.ts'

export type SheetRequest = Pick<Sheet, 'version' | 'generatedAt' | 'selection' | 'window' | 'policy'>

export type ListedCheck = {
  readonly id: string
  readonly name: string
  readonly checkType: string
  readonly tags: readonly string[]
  readonly created_at: string
}

/** Asks a running server for all that a sheet says. */
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

const pageSize = 100

export async function listChecks(remote: Remote): Promise<readonly ListedCheck[]> {
  const listed: ListedCheck[] = []
  for (let page = 1; ; page++) {
    const parameters = new URLSearchParams({ limit: String(pageSize), page: String(page) })
    const checks = (await fetchJson(remote, '/v1/checks', parameters)) as ListedCheck[]
    listed.push(...checks)
    if (checks.length < pageSize) return listed
  }
}

/** The figures, outages and evidence of one check. */
export async function collectCheck(
  remote: Remote,
  { id, name, checkType }: Pick<ListedCheck, 'id' | 'name' | 'checkType'>,
  { window, policy }: Pick<Sheet, 'window' | 'policy'>,
): Promise<SheetCheck> {
  const path = pathOf(checkType, id)
  const [byRuns, byTime, outages, evidence] = await Promise.all([
    fetchRow(remote, path, windowParameters(window)).then(toByRuns),
    fetchRow(remote, path, timeParameters(window, policy)).then(toByTime),
    fetchOutages(remote, id, { window, policy }),
    hashExport(remote, id, window),
  ])
  return { id, name, checkType, byRuns, byTime, outages, evidence }
}

/** The maintenances that touch the window and apply to any of the checks, by their start. */
export async function collectMaintenance(
  remote: Remote,
  window: SheetWindow,
  ids: readonly string[],
): Promise<readonly SheetMaintenance[]> {
  const occurrences = (await fetchJson(remote, '/v1/maintenance', windowParameters(window))) as SheetMaintenance[]
  return occurrences
    .map(({ name, from, to, checkIds }) => ({ name, from, to, checkIds: checkIds.filter((id) => ids.includes(id)) }))
    .filter(({ checkIds }) => checkIds.length > 0)
    .sort((a, b) => Date.parse(a.from) - Date.parse(b.from))
}

function pathOf(type: string, id: string): string {
  const checkType = checkTypes.find((one) => one.type === type)
  if (!checkType) throw new CommandFailure(`The server has a check type ${type} that this version of tidemark does not know. Update it.`)
  return analyticsPath(checkType, id)
}

const windowParameters = ({ from, to }: SheetWindow) => new URLSearchParams({ from, to })

function timeParameters(window: SheetWindow, policy: SheetPolicy): URLSearchParams {
  const { quorum, degraded, maintenance, minOutageSeconds, serviceHours } = policy
  return new URLSearchParams([
    ...windowParameters(window),
    ['availabilityBy', 'time'],
    ['quorum', quorum],
    ['degraded', degraded],
    ['maintenance', maintenance],
    ['minOutageSeconds', String(minOutageSeconds)],
    ...(serviceHours === null ? [] : [['serviceHours', serviceHours] as [string, string]]),
  ])
}

type FigureRow = Readonly<Record<string, number | null>>

async function fetchRow(remote: Remote, path: string, parameters: URLSearchParams): Promise<FigureRow> {
  const body = (await fetchJson(remote, path, new URLSearchParams([['metrics', 'availability'], ...parameters]))) as ReportBody
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

type OutagePage = { readonly outages: readonly SheetOutage[]; readonly pagination: { readonly next: string | null } }

async function fetchOutages(
  remote: Remote,
  id: string,
  { window, policy }: Pick<Sheet, 'window' | 'policy'>,
): Promise<readonly SheetOutage[]> {
  const asked = { checkId: id, quorum: policy.quorum, minSeconds: String(policy.minOutageSeconds), limit: '1000' }
  const outages: SheetOutage[] = []
  let cursor: string | null = null
  do {
    const parameters = new URLSearchParams([
      ...windowParameters(window),
      ...Object.entries(asked),
      ...Object.entries(cursor === null ? {} : { cursor }),
    ])
    const page = (await fetchJson(remote, '/v1/analytics/outages', parameters)) as OutagePage
    outages.push(...page.outages.map(toOutage))
    cursor = page.pagination.next
  } while (cursor !== null)
  return outages.reverse()
}

/** Only the properties that a sheet has, in its order. */
function toOutage(outage: SheetOutage): SheetOutage {
  const { from, to, seconds, locations, reason, firstResultId, lastResultId, maintenance } = outage
  return { from, to, seconds, locations, reason: reason || null, firstResultId, lastResultId, maintenance }
}

const lineFeed = 0x0a

/** Streams the export of the window, so that its size does not matter. */
async function hashExport(remote: Remote, id: string, window: SheetWindow): Promise<Evidence> {
  const parameters = new URLSearchParams([['format', 'ndjson'], ...windowParameters(window)])
  const response = await callServer(remote, `/v1/check-results/${id}/export?${parameters}`)
  if (!response.ok || !response.body) throw errorReply(response.status, await response.text())
  const sha256 = createHash('sha256')
  let [results, bytes] = [0, 0]
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    sha256.update(chunk)
    bytes += chunk.length
    for (let at = chunk.indexOf(lineFeed); at !== -1; at = chunk.indexOf(lineFeed, at + 1)) results++
  }
  return { results, bytes, sha256: sha256.digest('hex') }
}

async function fetchJson(remote: Remote, path: string, parameters: URLSearchParams): Promise<unknown> {
  return JSON.parse(okBody(await get(remote, path, parameters)))
}
