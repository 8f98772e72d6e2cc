import { randomBytes } from 'node:crypto'
import { isAbsolute, normalize } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { CheckType } from '../../checks/define.ts'
import { redactor } from '../../checks/probe/redact.ts'
import { plainCodec, type WireCodec } from '../../checks/wire.ts'
import { type DefinitionFault, type WireNotes, wireReader } from '../../checks/wire-reader.ts'
import { isMapping } from '../../collections/mapping.ts'
import { hasVariableWithin } from '../../text/variable-references.ts'
import type { Check } from '../catalogue.ts'
import type { CheckEntry } from '../config-file/config-schema.ts'
import type { Path } from '../config-file/faults.ts'
import { checkFindings } from '../config-file/parse.ts'
import { definitionOf } from '../definitions.ts'
import { findGroup, type GroupDefinition, groupIdOf, noGroup, unknownGroupText, withGroup } from '../managed/check-group.ts'
import { lengthFault } from '../managed/definition-length.ts'
import { ownVariableFindings, shownVariableFindings } from '../managed/group-findings.ts'
import { noResources, type Resources } from '../managed/resources.ts'
import { hiddenTexts, shownDefinition, variablesOf } from '../written-definition.ts'
import { bracesOf, withBracesOf } from './braces.ts'
import { depthFaults } from './depth.ts'
import { keepSecrets, mergeWritten, revealedText, withheldText } from './merge.ts'
import { jsonPointer, wirePointer } from './pointers.ts'
import { readCommon } from './read-common.ts'
import { openedKeys, openedText, readVariableSet, variableList } from './variables.ts'
import { writeCommon } from './write-common.ts'

type Definition = Readonly<Record<string, unknown>>

type Previous = Parameters<typeof shownDefinition>[0] & Pick<Check, 'account'>

type FromWire = { readonly definition: Record<string, unknown> } | { readonly faults: readonly DefinitionFault[] }

/**
 * Reads a body of the API as an entry of `checks:`, or returns the faults of the body. `previous` is the replaced check: values that
 * responses hide, or that the server generates, are kept from it if the body does not send them. `resources` contain the group of the
 * check.
 */
export function fromWire(checkType: CheckType, body: unknown, previous?: Previous, resources: Resources = noResources): FromWire {
  if (!isMapping(body)) return { faults: [{ pointer: '', message: 'the body must be an object' }] }
  const tooDeep = depthFaults(body)
  if (tooDeep.length > 0) return { faults: tooDeep }
  const ofOtherType = otherTypeIn(body, checkType)
  if (ofOtherType) return { faults: [ofOtherType] }
  const whole = wholeDefinition(body)
  if (whole) {
    const keeping = { checkType, previous, resources, placeOf: (path: Path) => `/definition${jsonPointer(path)}` }
    return withSecretsOf({ ...whole, type: checkType.type }, keeping)
  }
  const faults: DefinitionFault[] = []
  const sent = readBody(checkType, body, { faults }, previous)
  const written = isMapping(body.definition) ? body.definition : null
  if (body.definition !== undefined && body.definition !== null && !written)
    faults.push({ pointer: '/definition', message: 'definition must be an object' })
  if (written)
    faults.push(
      ...findingsOf(checkType, written, shownVariableFindings).map(({ path, message }) => ({
        pointer: `/definition${jsonPointer(path)}`,
        message,
      })),
    )
  if (faults.length > 0) return { faults }
  const merged = written ? mergeWritten(sent, readAgain(checkType, written, body), written) : sent
  return withSecretsOf(merged, { checkType, previous, resources, placeOf: (path) => wirePointer(checkType, path) })
}

/** The `definition` of a body without other fields. A `checkType` next to it is allowed if it equals `type`. */
export function wholeDefinition(body: unknown): Definition | null {
  if (!isMapping(body) || !isMapping(body.definition)) return null
  return Object.keys(body).every((name) => name === 'definition' || name === 'checkType') ? body.definition : null
}

/** The check type that a body names. */
export function typeNamedIn(body: unknown): unknown {
  return isMapping(body) ? (body.checkType ?? wholeDefinition(body)?.type) : undefined
}

function otherTypeIn({ checkType: sent, definition }: Definition, { type }: CheckType): DefinitionFault | null {
  const inDefinition = isMapping(definition) ? definition.type : undefined
  if (inDefinition !== undefined && inDefinition !== type) return { pointer: '/definition/type', message: `type must be ${type} here` }
  return sent !== undefined && sent !== null && sent !== type ? { pointer: '/checkType', message: `checkType must be ${type} here` } : null
}

type Keeping = {
  readonly checkType: CheckType
  readonly previous: Previous | undefined
  readonly resources: Resources
  /** Maps a path of the definition to a pointer into the body. */
  readonly placeOf: (path: Path) => string
}

/** Fills in hidden values from the replaced check, and redacts them in faults. */
function withSecretsOf(sent: Definition, { checkType, previous, resources, placeOf }: Keeping): FromWire {
  const { definition, hidden, withheld } = previous
    ? keepSecrets(sent, shownDefinition(previous), previous.written)
    : { definition: sent, hidden: [], withheld: [] }
  const redact = redactor(previous ? hiddenTexts(previous) : [])
  const opened = openedKeys(hidden, ['variables'], variablesOf(definition), previous && variablesOf(previous.written))
  const faulty = [
    ...withheld.map((path) => ({ path, message: withheldText })),
    ...findingsOf(checkType, definition),
    ...opened.map((key) => ({ path: ['variables', 'environment', key], message: openedText(key) })),
  ]
  const found =
    faulty.length > 0
      ? faulty
      : revealedIn(checkType, { sent, definition, hidden, groupOf: (id) => previous && findGroup(resources, previous.account, id) })
  if (found.length === 0) return { definition: { ...definition } }
  return { faults: found.map(({ path, message }) => ({ pointer: placeOf(path), message: redact(message) })) }
}

type KeptTexts = {
  readonly sent: Definition
  readonly definition: Definition
  readonly hidden: readonly Path[]
  readonly groupOf: (id: unknown) => GroupDefinition | null | undefined
}

/** Kept secrets that responses would now show, because nothing marks them as secret any more; all of them if that is unknown. */
function revealedIn(checkType: CheckType, { sent, definition, hidden, groupOf }: KeptTexts): readonly Found[] {
  if (hidden.length === 0) return []
  const groupId = groupIdOf(definition)
  const group = groupId === undefined ? noGroup : groupOf(groupId)
  if (!group) return [{ path: ['groupId'], message: unknownGroupText(groupId) }]
  const shown = shownThen(checkType, definition, group)
  return hidden.filter((path) => !shown || valueAt(shown, path) !== valueAt(sent, path)).map((path) => ({ path, message: revealedText }))
}

/** Null if the definition needs values of variables, which are not replaced here. */
function shownThen(checkType: CheckType, definition: Definition, group: GroupDefinition): Definition | null {
  try {
    const whole = withGroup(definition, group, [checkType])
    return shownDefinition({ ...definitionOf('', whole as CheckEntry, checkType), secrets: [], written: definition })
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

/** Whether a body keeps no hidden values: it reads the same without the check that it replaces. */
export function isSentWhole(checkType: CheckType, body: unknown, previous: Previous, resources: Resources = noResources): boolean {
  const [alone, replaced] = [fromWire(checkType, body), fromWire(checkType, body, previous, resources)]
  return 'definition' in alone && 'definition' in replaced && isDeepStrictEqual(alone.definition, replaced.definition)
}

type WireOptions = {
  /** Builds the ping URL of a token; without it, responses hide the token. */
  readonly pingUrl?: (token: string) => string
}

/** A check as a response body, with secrets shown as variables. `definition` has everything that the other fields cannot express. */
export function toWire(check: Check, { pingUrl }: WireOptions = {}): Record<string, unknown> {
  const shown = shownDefinition(check)
  return {
    ...writeBody(check, pingUrl && check.checkType.pingSettings ? check.written : shown, pingUrl),
    id: check.id,
    created_at: new Date(check.createdAt).toISOString(),
    updated_at: new Date(check.updatedAt).toISOString(),
    createdAt: new Date(check.createdAt).toISOString(),
    updatedAt: new Date(check.updatedAt).toISOString(),
    definition: shown,
  }
}

/** The last path segment of `/v1/checks/{path}`. */
export function wirePath(checkType: CheckType): string {
  return codecOf(checkType).path
}

function readBody(checkType: CheckType, body: Definition, notes: WireNotes, previous?: Previous): Definition {
  const reader = wireReader(body, notes)
  const common = readCommon(reader, checkType)
  const { read, hasVariables } = codecOf(checkType)
  const settings = read(reader, { previous: previous?.written, newToken })
  const variables = hasVariables ? readVariableSet(reader) : {}
  reader.end()
  return {
    ...common,
    ...settings,
    ...(Object.keys(variables).length > 0 && { variables }),
    ...(notes.braces && { clientFields: { ...(common.clientFields ?? {}), variables: bracesOf(notes.braces) } }),
  }
}

const newToken = () => randomBytes(24).toString('base64url')

/** Round trip: writes a definition as a body, and reads that body. Null if the definition needs values of variables. */
function readAgain(checkType: CheckType, written: Definition, { privateLocations }: Definition): Definition | null {
  const listed = Array.isArray(privateLocations) ? privateLocations.map(String) : []
  try {
    const check = definitionOf('', withGroup(written, noGroup, [checkType]) as CheckEntry, checkType)
    const agentLocations = check.locations.filter((location) => listed.includes(location))
    return readBody(checkType, writeBody({ ...check, agentLocations }, written), { faults: [] })
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

type Written = Omit<Check, 'createdAt' | 'updatedAt'>

function writeBody(check: Written, shown: Definition, pingUrl?: WireOptions['pingUrl']): Record<string, unknown> {
  const { checkType, settings } = check
  const names = Object.keys(checkType.settings.properties).filter((name) => Object.hasOwn(shown, name))
  const shownSettings = Object.fromEntries(names.map((name) => [name, shown[name]]))
  const { write, hasVariables } = codecOf(checkType)
  const fields = write(shownSettings, { resolved: settings, pingUrl })
  return {
    ...writeCommon(check, shown),
    ...withBracesOf(shown, fields),
    ...(hasVariables && { environmentVariables: variableList(variablesOf(shown) ?? {}) }),
  }
}

function codecOf({ wire, path, settings }: CheckType): WireCodec<Definition> {
  return wire ?? plainCodec(path, Object.keys(settings.properties))
}

type Found = { readonly path: Path; readonly message: string }

/** Faults of a definition. Values with variables, and missing values that the group may supply, are validated later. */
function findingsOf(checkType: CheckType, whole: Definition, variableFindings = ownVariableFindings): readonly Found[] {
  const tooLong = lengthFault(whole, checkType)
  if (tooLong !== null) return [{ path: [], message: tooLong }]
  const { groupId, variables, ...own } = whole
  const isGrouped = typeof groupId === 'number'
  const ofVariables = variableFindings({ type: checkType.type, variables }, [checkType])
  const definition = withGroup(own, noGroup, [checkType])
  const found = checkFindings(definition, [], { checkTypes: [checkType], isThere: (file) => isWithin(file.path) })
  const isInherited = (value: unknown) => isGrouped && value === undefined
  const known = found.filter(({ path }) => !hasVariableWithin(valueAt(definition, path)) && !isInherited(valueAt(definition, path)))
  return [...known, ...ofVariables].slice(0, maxFindings).map(({ path, text }) => ({ path, message: text }))
}

const maxFindings = 100

/** Permission to write checks must not allow reading any file of the server. */
function isWithin(path: string): boolean {
  return !isAbsolute(path) && !normalize(path).startsWith('..')
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((part, step) => (typeof part === 'object' && part !== null ? (part as Definition)[step] : undefined), value)
}
