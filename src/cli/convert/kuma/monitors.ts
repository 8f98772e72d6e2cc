import type { ConversionDraft } from '../draft.ts'
import { frequencyOf, timeoutTextOf } from '../durations.ts'
import { fieldsOf, numberOf, plainText, unreadLines } from '../fields.ts'
import { literalText } from '../written-text.ts'
import { alertsOf } from './alerts.ts'
import type { KumaChannels } from './channels.ts'
import type { KumaDatabase, KumaRow } from './database.ts'
import { monitorDefaults, notSettings, reasons } from './monitor-fields.ts'
import type { MonitorInput } from './monitor-input.ts'
import { monitorTypes, unsupportedType } from './monitor-types.ts'
import type { KumaSettings } from './settings.ts'

/** Check ids by monitor, and other data of all monitors. */
export type ConvertedMonitors = {
  readonly checks: ReadonlyMap<number, string>
  readonly names: ReadonlyMap<number, string>
  /** Descendants of each group, including those of nested groups. */
  readonly below: ReadonlyMap<number, readonly number[]>
}

type MonitorContext = { readonly channels: KumaChannels; readonly settings: KumaSettings }

const groupType = 'group'

export function convertMonitors(database: KumaDatabase, draft: ConversionDraft, context: MonitorContext): ConvertedMonitors {
  const rows = database.all('monitor')
  const byId = new Map(rows.map((row) => [numberOf(row.id) ?? -1, row]))
  const names = new Map([...byId].map(([id, row]) => [id, plainText(row.name) || `monitor ${id}`]))
  const tags = tagsByMonitor(database)
  const checks = new Map<number, string>()
  const below = new Map<number, number[]>()
  for (const [id, row] of byId) {
    const item = names.get(id) ?? ''
    const above = groupsAbove(row, byId)
    for (const { id: group } of above) below.set(numberOf(group) ?? -1, [...(below.get(numberOf(group) ?? -1) ?? []), id])
    const given = { row, item, draft, tags: [...(tags.get(id) ?? []), ...above.slice(1).map((group) => plainText(group.name))] }
    const group = above[0] === undefined ? null : plainText(above[0].name)
    const place = { group, isPaused: above.some(({ active }) => !isOn(active)) }
    const checkId = plainText(row.type) === groupType ? groupMonitor(given, context.channels.of(id)) : oneMonitor(given, place)
    if (checkId === null) continue
    checks.set(id, checkId)
    draft.setAlerts(checkId, alertsOf({ monitor: id, item, row, ...context, draft }))
  }
  reportTagColours(database, draft)
  return { checks, names, below }
}

type MonitorParts = { readonly row: KumaRow; readonly item: string; readonly draft: ConversionDraft; readonly tags: readonly string[] }

/** Columns that are set for every monitor but mean nothing for groups. */
const notOfGroups = [
  'interval',
  'retry_interval',
  'maxretries',
  'timeout',
  'parent',
  'expiry_notification',
  'resend_interval',
  'upside_down',
]

/** A converted group only holds checks and has no state of its own. */
function groupMonitor({ row, item, draft, tags }: MonitorParts, channels: readonly string[]): null {
  const fields = fieldsOf(row, monitorDefaults)
  fields.skip(...notSettings, ...notOfGroups)
  draft.changed(
    item,
    null,
    'It becomes a group in the config file, without state. Only the nearest group of a monitor is kept; parent groups become tags.',
  )
  if (tags.length > 0) draft.lost(item, 'tags', 'Groups do not support tags: add them to its checks.')
  if (channels.length > 0) draft.lost(item, 'notifications', 'Groups do not alert: use rules for its checks.')
  if (!isOn(row.active)) draft.changed(item, 'active', 'A group cannot be paused: its checks are.')
  fields.skip('active')
  draft.report(...unreadLines(fields, item, reasons))
  return null
}

/** The nearest group of a monitor, and whether any of its groups is paused, which pauses the monitor, too. */
type MonitorPlace = { readonly group: string | null; readonly isPaused: boolean }

function oneMonitor({ row, item, draft, tags }: MonitorParts, { group, isPaused }: MonitorPlace): string | null {
  const fields = fieldsOf(row, monitorDefaults)
  fields.skip(...notSettings)
  const type = fields.text('type')
  const input: MonitorInput = { fields, item, draft, isUpsideDown: fields.flag('upside_down') }
  const converted = monitorTypes[type]?.(input) ?? unsupportedType(type, fields)
  if ('leftOut' in converted) {
    draft.leftOut(item, converted.leftOut)
    return null
  }
  const { check, isPinged } = converted
  const common = isPinged ? {} : scheduled(input)
  const isActive = fields.flag('active') && !isPaused
  const description = fields.text('description').trim().slice(0, maxDescription)
  fields.skip('parent', 'resend_interval', 'expiry_notification')
  const id = draft.addCheck({
    item,
    name: fields.text('name') || item,
    group: group === null ? null : draft.groupOf(group),
    tags,
    settings: {
      ...check,
      ...common,
      ...(!isActive && { activated: false }),
      ...(description !== '' && { description: literalText(description) }),
    },
  })
  if (id !== null) draft.report(...unreadLines(fields, item, reasons))
  return id
}

const maxRetries = 10
/** Limit of a description, with room for escapes. */
const maxDescription = 5000

function scheduled({ fields, item, draft }: MonitorInput): Readonly<Record<string, unknown>> {
  const intervalS = fields.number('interval') ?? 60
  const { frequency, why } = frequencyOf(intervalS * 1000)
  if (why !== null) draft.changed(item, 'interval', why)
  const retries = fields.number('maxretries') ?? 0
  const waitS = fields.number('retry_interval') || intervalS
  if (retries > maxRetries) draft.changed(item, 'maxretries', `It had ${retries} retries; the maximum is ${maxRetries}.`)
  const timeout = timeoutTextOf((fields.number('timeout') ?? 0) * 1000)
  return {
    frequency,
    ...(timeout !== null && { timeout }),
    ...(retries > 0 && {
      retry: { strategy: 'fixed', baseBackoff: `${Math.max(1, Math.round(waitS))}s`, maxRetries: Math.min(maxRetries, retries) },
    }),
  }
}

/** The groups that contain a monitor, innermost first. */
function groupsAbove(row: KumaRow, byId: ReadonlyMap<number, KumaRow>): readonly KumaRow[] {
  const found: KumaRow[] = []
  for (let parent = byId.get(numberOf(row.parent) ?? -1); parent && found.length < 20; parent = byId.get(numberOf(parent.parent) ?? -1)) {
    if (found.includes(parent)) break
    found.push(parent)
  }
  return found.filter(({ type }) => type === groupType)
}

function tagsByMonitor(database: KumaDatabase): ReadonlyMap<number, readonly string[]> {
  const names = new Map(database.all('tag').map(({ id, name }) => [numberOf(id), plainText(name)]))
  const found = new Map<number, string[]>()
  for (const { monitor_id, tag_id, value } of database.all('monitor_tag')) {
    const [monitor, name, text] = [numberOf(monitor_id) ?? -1, names.get(numberOf(tag_id)) ?? '', plainText(value)]
    const tags = found.get(monitor) ?? []
    if (name !== '') tags.push(text === '' ? name : `${name}=${text}`)
    found.set(monitor, tags)
  }
  return found
}

function reportTagColours(database: KumaDatabase, draft: ConversionDraft): void {
  if (database.count('tag') > 0) draft.lost('tags', 'color', 'Tag colours are not supported.')
}

const isOn = (value: unknown) => numberOf(value) === 1 || value === true
