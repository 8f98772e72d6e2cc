import { redactor } from '../../checks/probe/redact.ts'
import { checkTypes as registry } from '../../checks/registry.ts'
import { present } from '../../checks/wire.ts'
import { type DefinitionFault, type WireNotes, type WireReader, wireReader } from '../../checks/wire-reader.ts'
import { isMapping } from '../../collections/mapping.ts'
import { type GroupDefinition, hiddenParts, shownGroup } from '../managed/check-group.ts'
import { groupFindings } from '../managed/group-findings.ts'
import type { ManagedResource } from '../managed/resources.ts'
import type { WrittenDefinition } from '../written-definition.ts'
import { readAlertSettings, readSubscriptions, writeAlertSettings } from './alert-settings.ts'
import { bracesOf, withBracesOf } from './braces.ts'
import { depthFaults } from './depth.ts'
import { keepSecrets, mergeWritten, withheldText } from './merge.ts'
import { jsonPointer } from './pointers.ts'
import { readFrequency } from './read-common.ts'
import { readRetryStrategy, retryWire } from './retry-strategy.ts'
import { openedKeys, openedText, readVariableSet, variableList } from './variables.ts'

type Group = { readonly definition: GroupDefinition } | { readonly faults: readonly DefinitionFault[] }

const groupRequest = registry.find((one) => one.groupRequest)?.groupRequest

/**
 * Reads a group from a body, or returns the faults of the body. `previous` is the replaced version: values that responses hide are kept
 * from it, as long as the address stays the same. Secret variables are returned unencrypted unless they are kept.
 */
export function groupFromWire(body: unknown, version: GroupVersion, previous?: GroupDefinition): Group {
  if (!isMapping(body)) return { faults: [{ pointer: '', message: 'the body must be an object' }] }
  const tooDeep = depthFaults(body)
  if (tooDeep.length > 0) return { faults: tooDeep }
  const isAlone = isMapping(body.definition) && Object.keys(body).length === 1
  const faults: DefinitionFault[] = []
  const sent = isAlone ? (body.definition as WrittenDefinition) : readGroup(body, { faults })
  const written = !isAlone && isMapping(body.definition) ? body.definition : null
  const ofWritten = written ? groupFindings(written, registry) : []
  faults.push(...ofWritten.map(({ path, text }) => ({ pointer: `/definition${jsonPointer(path)}`, message: text })))
  if (faults.length > 0) return { faults }
  const base = written ? readAgain(written as GroupDefinition, version) : null
  const merged = written && base ? mergeWritten(sent, base, written) : sent
  const { definition, hidden, withheld } = previous
    ? keepSecrets(merged, shownGroup(previous, registry), previous)
    : { definition: merged, hidden: [], withheld: [] }
  const found = [
    ...withheld.map((path) => ({ path, text: withheldText })),
    ...groupFindings(definition, registry),
    ...openedKeys(hidden, [], definition as GroupDefinition, previous).map((key) => ({
      path: ['environment', key],
      text: openedText(key),
    })),
  ]
  const placed = (pointer: string) => (isAlone ? `/definition${pointer}` : groupPointer(pointer))
  if (found.length === 0) return { definition: definition as GroupDefinition }
  const redact = redactor(previous ? Object.values(hiddenParts(previous, registry)).flat() : [])
  return { faults: found.map(({ path, text }) => ({ pointer: placed(jsonPointer(path)), message: redact(text) })) }
}

/** Patterns of pointers into a definition, and their replacements in a body. */
const places: readonly (readonly [RegExp, string])[] = [
  [/^\/request\/query(?=\/|$)/, `/${groupRequest?.field}/queryParameters`],
  [/^\/request(?=\/|$)/, `/${groupRequest?.field}`],
  [/^\/environment(\/.*)?$/, '/environmentVariables'],
  [/^\/defaults\/retry(?=\/|$)/, '/retryStrategy'],
  [/^\/(defaults|clientFields)(?=\/)/, ''],
]

function groupPointer(pointer: string): string {
  const found = places.find(([pattern]) => pattern.test(pointer))
  return found ? pointer.replace(...found) : pointer
}

/** Ignored: fields of responses, and legacy fields that never affected runs. */
const meaningless = ['id', 'accountId', 'created_at', 'updated_at', 'createdAt', 'updatedAt', 'definition', 'checks']

function readGroup(body: WrittenDefinition, notes: WireNotes): WrittenDefinition {
  const reader = wireReader(body, notes)
  reader.ignore(...meaningless)
  if (reader.flag('doubleCheck')) reader.fault('doubleCheck', 'doubleCheck is not supported: use retryStrategy')
  const name = reader.text('name')
  if (name === undefined) reader.fault('name', 'name is missing')
  const privateLocations = reader.texts('privateLocations')
  const request = groupRequest?.read(reader.object(groupRequest.field)) ?? {}
  const read = present<unknown>({
    name,
    defaults: notEmpty(readDefaults(reader, privateLocations)),
    privateLocations: privateLocations.length > 0 ? privateLocations : undefined,
    request: notEmpty(request),
    ...readVariableSet(reader),
    clientFields: notEmpty(readClientFields(reader)),
  })
  reader.end()
  return notes.braces ? { ...read, clientFields: { ...(read.clientFields ?? {}), variables: bracesOf(notes.braces) } } : read
}

function readDefaults(reader: WireReader, privateLocations: readonly string[]): WrittenDefinition {
  const tags = reader.texts('tags')
  const locations = [...new Set([...reader.texts('locations'), ...privateLocations])]
  const hasFrequency = (reader.raw('frequency') ?? undefined) !== undefined
  if (!hasFrequency) reader.ignore('frequencyOffset')
  return present<unknown>({
    activated: reader.flag('activated') === false ? false : undefined,
    muted: reader.flag('muted') || undefined,
    tags: tags.length > 0 ? tags : undefined,
    frequency: hasFrequency ? readFrequency(reader) : undefined,
    locations: locations.length > 0 ? locations : undefined,
    retry: readRetryStrategy(reader),
    runParallel: reader.flag('runParallel'),
  })
}

function readClientFields(reader: WireReader): WrittenDefinition {
  const useGlobalAlertSettings = reader.flag('useGlobalAlertSettings')
  const given = isMapping(reader.raw('alertSettings'))
  const { alertSettings } = writeAlertSettings(readAlertSettings(reader))
  return present<unknown>({
    alertChannelSubscriptions: readSubscriptions(reader),
    useGlobalAlertSettings,
    alertSettings: given ? alertSettings : undefined,
    runtimeId: reader.text('runtimeId', 100),
    concurrency: reader.number('concurrency') || undefined,
    retryStrategy: reader.raw('retryStrategy') === 'FALLBACK' ? 'FALLBACK' : undefined,
  })
}

/** Round trip: writes a definition as a body, and reads that body. */
const readAgain = (definition: GroupDefinition, version: GroupVersion) => readGroup(writeGroup(definition, version), { faults: [] })

/** In version 2, null means that the group leaves a field to its checks. */
export type GroupVersion = 1 | 2

/** A group as a response body, with secrets shown as variables. `definition` has everything that the other fields cannot express. */
export function groupToWire({ id, definition, createdAt, updatedAt }: ManagedResource, version: GroupVersion) {
  const shown = shownGroup(definition as GroupDefinition, registry)
  const [created, updated] = [new Date(createdAt).toISOString(), new Date(updatedAt).toISOString()]
  const written = writeGroup(shown, version)
  return { id: Number(id), ...written, created_at: created, updated_at: updated, createdAt: created, updatedAt: updated, definition: shown }
}

function writeGroup(group: GroupDefinition, version: GroupVersion): WrittenDefinition {
  const { name, defaults = {}, privateLocations = [], request = {}, clientFields = {} } = group
  const unset = <T>(otherwise: T) => (version === 2 ? null : otherwise)
  const parts = groupRequest?.write(request) ?? {}
  const given = writeAlertSettings(clientFields)
  return {
    name,
    activated: defaults.activated ?? true,
    muted: defaults.muted ?? false,
    runParallel: defaults.runParallel ?? unset(false),
    tags: defaults.tags ?? [],
    locations: ((defaults.locations ?? []) as readonly string[]).filter((location) => !privateLocations.includes(location)),
    privateLocations,
    concurrency: clientFields.concurrency ?? 1,
    [groupRequest?.field ?? 'request']: withBracesOf(group, parts),
    environmentVariables: variableList(group),
    retryStrategy: retryWire(defaults.retry) ?? clientFields.retryStrategy ?? null,
    doubleCheck: false,
    useGlobalAlertSettings: clientFields.useGlobalAlertSettings ?? unset(true),
    alertSettings: clientFields.alertSettings ?? unset(given.alertSettings),
    alertChannelSubscriptions: clientFields.alertChannelSubscriptions ?? [],
    runtimeId: clientFields.runtimeId ?? null,
    setupSnippetId: null,
    tearDownSnippetId: null,
    localSetupScript: null,
    localTearDownScript: null,
  }
}

const notEmpty = <T extends object>(value: T): T | undefined => (Object.keys(value).length > 0 ? value : undefined)
