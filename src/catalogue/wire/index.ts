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
import { ownVariableFindings, shownVariableFindings } from '../managed/group-findings.ts'
import { noResources, type Resources } from '../managed/resources.ts'
import { hiddenTexts, shownDefinition, variablesOf } from '../written-definition.ts'
import { hasBraces, withBraces } from './braces.ts'
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
 * The definition that a body of the API stands for, as an entry of `checks:`, or what is wrong in the body. `previous` is the check that
 * it replaces: what answers hide of it, or a body leaves out because the server makes it, stays as it was. Its group is one of `resources`.
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

/** The definition of a body that is nothing else; `checkType` next to it may only repeat its `type`. */
export function wholeDefinition(body: unknown): Definition | null {
  if (!isMapping(body) || !isMapping(body.definition)) return null
  return Object.keys(body).every((name) => name === 'definition' || name === 'checkType') ? body.definition : null
}

/** The name of the type that a body says itself. */
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
  /** The pointer of a place of the definition. */
  readonly placeOf: (path: Path) => string
}

/** What was sent, with what answers hide of the check that it replaces; its faults do not show that either. */
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

/** Kept texts that answers would show from now on, since what marked them as secret is gone; all of them where that cannot be known. */
function revealedIn(checkType: CheckType, { sent, definition, hidden, groupOf }: KeptTexts): readonly Found[] {
  if (hidden.length === 0) return []
  const groupId = groupIdOf(definition)
  const group = groupId === undefined ? noGroup : groupOf(groupId)
  if (!group) return [{ path: ['groupId'], message: unknownGroupText(groupId) }]
  const shown = shownThen(checkType, definition, group)
  return hidden.filter((path) => !shown || valueAt(shown, path) !== valueAt(sent, path)).map((path) => ({ path, message: revealedText }))
}

/** Null where variables stand for what only runs know. */
function shownThen(checkType: CheckType, definition: Definition, group: GroupDefinition): Definition | null {
  try {
    const whole = withGroup(definition, group, [checkType])
    return shownDefinition({ ...definitionOf('', whole as CheckEntry, checkType), secrets: [], written: definition })
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

/** Whether no value of a body stands for one that answers hide: then it is the same without the check that it replaces. */
export function isSentWhole(checkType: CheckType, body: unknown, previous: Previous, resources: Resources = noResources): boolean {
  const [alone, replaced] = [fromWire(checkType, body), fromWire(checkType, body, previous, resources)]
  return 'definition' in alone && 'definition' in replaced && isDeepStrictEqual(alone.definition, replaced.definition)
}

type WireOptions = {
  /** The address that pings with this token go to; without it, no answer has the token. */
  readonly pingUrl?: (token: string) => string
}

/** A check in the shape of the API; secrets are variables. `definition` has what that shape has no place for. */
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

/** The last step of the addresses that checks of a type are written at: `/v1/checks/{path}`. */
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
    ...(notes.hasBraces && { clientFields: { ...(common.clientFields ?? {}), variables: 'braces' } }),
  }
}

const newToken = () => randomBytes(24).toString('base64url')

/** What a body for this definition alone would be read as; null where variables stand for what only runs know. */
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
    ...(hasBraces(shown) ? withBraces(fields) : fields),
    ...(hasVariables && { environmentVariables: variableList(variablesOf(shown) ?? {}) }),
  }
}

function codecOf({ wire, path, settings }: CheckType): WireCodec<Definition> {
  return wire ?? plainCodec(path, Object.keys(settings.properties))
}

type Found = { readonly path: Path; readonly message: string }

/** Faults of a definition; what holds variables, or may come from its group, is judged once that is known. */
function findingsOf(
  checkType: CheckType,
  { groupId, variables, ...own }: Definition,
  variableFindings = ownVariableFindings,
): readonly Found[] {
  const isGrouped = typeof groupId === 'number'
  const ofVariables = variableFindings({ type: checkType.type, variables }, [checkType])
  const definition = withGroup(own, noGroup, [checkType])
  const found = checkFindings(definition, [], { checkTypes: [checkType], isThere: (file) => isWithin(file.path) })
  const isInherited = (value: unknown) => isGrouped && value === undefined
  const known = found.filter(({ path }) => !hasVariableWithin(valueAt(definition, path)) && !isInherited(valueAt(definition, path)))
  return [...known, ...ofVariables].slice(0, maxFindings).map(({ path, text }) => ({ path, message: text }))
}

const maxFindings = 100

/** Permission to write checks must not let them read any file of the server. */
function isWithin(path: string): boolean {
  return !isAbsolute(path) && !normalize(path).startsWith('..')
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((part, step) => (typeof part === 'object' && part !== null ? (part as Definition)[step] : undefined), value)
}
