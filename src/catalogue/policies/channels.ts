import type { ChannelType } from '../../alerts/channels/channel.ts'
import { encodings, exactRedactor } from '../../checks/probe/redact.ts'
import { sha256 } from '../../ids/sha256.ts'
import { IsRefine, type Static, type TObject, Type } from '../../schema/typebox.ts'
import { similar } from '../../text/nearest.ts'
import { closed, Id } from '../config-file/entry-fields.ts'
import { type Finding, must, type Path } from '../config-file/faults.ts'
import { structureFindings } from '../config-file/structure.ts'
import { type PolicyEntry, valueFinding } from './fields.ts'
import type { Channel } from './policies.ts'

const ChannelFields = Type.Object({ id: Id, type: Type.String() })
export type ChannelEntry = Static<typeof ChannelFields> & PolicyEntry

/** Characters as JSON, more than any template needs. */
const maxSettingsLength = 65_536

export function channelFindings(entry: PolicyEntry, path: Path, channelTypes: readonly ChannelType[]): readonly Finding[] {
  const channelType = channelTypes.find(({ type }) => type === entry.type)
  if (!channelType) return [typeFinding(entry.type, [...path, 'type'], channelTypes), ...structureFindings(idOnly, { id: entry.id }, path)]
  const structure = structureFindings(configuredChannelSchema(channelType), entry, path)
  if (structure.length > 0) return structure
  if (JSON.stringify(entry).length > maxSettingsLength) return [must(path, 'at most 65,536 characters long')]
  return IsRefine(channelType.settings) ? structureFindings(channelType.settings, settingsOf(entry), path) : []
}

const idOnly = Type.Object({ id: Id })

/** The channel of an entry without findings; `substituted` are the secret texts among its variables. */
export function toChannel(entry: ChannelEntry, substituted: readonly string[], channelTypes: readonly ChannelType[]): Channel {
  const settings = settingsOf(entry)
  const declared = channelTypes.find(({ type }) => type === entry.type)?.secrets(settings) ?? []
  return { id: entry.id, type: entry.type, settings, secrets: [...new Set([...substituted, ...declared.flatMap(encodings)])] }
}

/** The names of a channel's settings, which may hold secrets. */
export function settingNames(entry: PolicyEntry): readonly string[] {
  return Object.keys(settingsOf(entry))
}

/** The settings of a channel with secrets redacted. */
export function shownSettings({ settings, secrets }: Channel): PolicyEntry {
  const redact = exactRedactor(secrets)
  const shown = (value: unknown): unknown => {
    if (secrets.includes(String(value))) return '•••'
    if (typeof value === 'string') return redact(value)
    if (Array.isArray(value)) return value.map(shown)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [redact(name), shown(item)]))
  }
  return shown(settings) as PolicyEntry
}

/** The id of a managed channel in alerts. Ids of the config file cannot contain a colon. */
export const managedChannelId = (id: string) => `channel:${id}`

/** A positive integer that identifies a channel, because clients expect numbers. */
export function channelNumber(account: string, id: string): number {
  const [, managed] = /^channel:([0-9]+)$/.exec(id) ?? []
  if (managed !== undefined) return Number(managed)
  return Number.parseInt(sha256(JSON.stringify([account, id])).slice(-12), 16) + 1
}

const schemas = new WeakMap<ChannelType, TObject>()

export function configuredChannelSchema(channelType: ChannelType): TObject {
  const known = schemas.get(channelType) ?? Type.Object({ ...ChannelFields.properties, ...channelType.settings.properties }, closed)
  schemas.set(channelType, known)
  return known
}

function settingsOf({ id: _, type: __, ...settings }: PolicyEntry): PolicyEntry {
  return settings
}

function typeFinding(given: unknown, path: Path, channelTypes: readonly ChannelType[]): Finding {
  const types = channelTypes.map(({ type }) => type)
  if (typeof given !== 'string') return must(path, `one of ${types.join(', ')}`)
  const near = similar(given, types, 1)
  return valueFinding(
    path,
    `unknown channel type ${given}; ${near.length > 0 ? `did you mean ${near.join()}?` : `supported: ${types.join(', ')}`}`,
  )
}
