import type { CheckType } from '../../checks/define.ts'
import { isSecretName } from '../../checks/probe/redact.ts'
import { isMapping } from '../../collections/mapping.ts'
import { type TSchema, Type } from '../../schema/typebox.ts'
import { isReservedVariable } from '../../text/reserved-variables.ts'
import { hasVariableWithin, withoutPlainVariables } from '../../text/variable-references.ts'
import { AnyCheckEntry, clientFieldSchemas } from '../config-file/config-schema.ts'
import { closed, Label, NonEmptyText } from '../config-file/entry-fields.ts'
import { type Finding, must, type Path } from '../config-file/faults.ts'
import { defaultsFindings } from '../config-file/inherit.ts'
import { partAt } from '../config-file/source.ts'
import { structureFindings } from '../config-file/structure.ts'
import { hiddenVariable, type VariableSet, variablesOf, type WrittenDefinition } from '../written-definition.ts'
import { hiddenParts } from './check-group.ts'
import { groupAddress } from './variables.ts'

const { alertChannelSubscriptions, useGlobalAlertSettings, alertSettings, runtimeId, variables } = clientFieldSchemas
const Names = Type.Optional(Type.Array(Type.String(), { maxItems: 200, uniqueItems: true }))

const variableFields = {
  environment: Type.Optional(Type.Record(Type.String(), Type.String({ maxLength: 65_536 }), { maxProperties: 200 })),
  locked: Names,
  secret: Names,
}
const VariableFields = Type.Object(variableFields, closed)

const Group = Type.Object(
  {
    name: NonEmptyText,
    defaults: Type.Optional(Type.Object({})),
    privateLocations: Type.Optional(Type.Array(Label, { uniqueItems: true, maxItems: 1000 })),
    request: Type.Optional(Type.Object({})),
    ...variableFields,
    clientFields: Type.Optional(
      Type.Object(
        {
          alertChannelSubscriptions,
          useGlobalAlertSettings,
          alertSettings,
          runtimeId,
          variables,
          concurrency: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000 })),
          retryStrategy: Type.Optional(Type.Literal('FALLBACK')),
        },
        closed,
      ),
    ),
  },
  closed,
)

/** Validates a group on its own. The checks that inherit its defaults validate their values, too. */
export function groupFindings(group: WrittenDefinition, checkTypes: readonly CheckType[]): readonly Finding[] {
  const structure = structureFindings(Group, group, [])
  if (structure.length > 0) return structure
  return [
    ...(isMapping(group.defaults) ? valuesOf(group.defaults, checkTypes) : []),
    ...(isMapping(group.request) ? requestFindings(group.request, checkTypes) : []),
    ...Object.entries(isMapping(group.environment) ? group.environment : {}).flatMap(([name, value]) => variableFindings(name, value)),
  ]
}

/** A group may set the common fields. Addresses and secrets belong to each check, or to `request`. */
const inherited: readonly string[] = Object.keys(AnyCheckEntry.properties).filter(
  (name) => !['id', 'name', 'type', 'description', 'clientFields'].includes(name),
)

function valuesOf(defaults: WrittenDefinition, checkTypes: readonly CheckType[]): readonly Finding[] {
  const names = defaultsFindings(defaults, ['defaults'], checkTypes)
  if (names.length > 0) return names
  const types = checkTypes.map(({ type }) => type)
  return Object.entries(defaults).flatMap(([name, value]) => {
    if (types.includes(name)) return fieldFindings(value as WrittenDefinition, ['defaults', name])
    return fieldFindings({ [name]: value }, ['defaults'])
  })
}

function fieldFindings(fields: WrittenDefinition, path: Path): readonly Finding[] {
  const others = Object.keys(fields).filter((name) => !inherited.includes(name))
  if (others.length > 0)
    return others.map((name) => ({
      path: [...path, name],
      at: 'name',
      text: `${name} is not allowed for groups: set it per check, or in the request of the group`,
    }))
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))
  return structureFindings(AnyCheckEntry, given, path)
}

function requestFindings(request: WrittenDefinition, checkTypes: readonly CheckType[]): readonly Finding[] {
  const checkType = checkTypes.find((one) => one.groupRequest)
  const parts = checkType?.groupRequest?.parts ?? []
  const others = Object.keys(request).filter((name) => !parts.includes(name))
  if (others.length > 0) return others.map((name) => ({ path: ['request', name], at: 'name', text: `${name} is not allowed for groups` }))
  const { properties = {} } = (checkType?.settings.properties.request ?? {}) as { readonly properties?: Parameters<typeof Type.Object>[0] }
  const schema = Type.Partial(Type.Object(Object.fromEntries(parts.map((part) => [part, properties[part] ?? Type.Any()]))))
  if (typeof request.url === 'string' && hasCredentials(request.url))
    return [{ path: ['request', 'url'], at: 'value', text: credentialsText }]
  const misshapen = shapeFindings(schema, request, ['request'])
  if (misshapen.length > 0) return misshapen
  const structure = structureFindings(schema, request, ['request'])
  const found = structure.filter(({ path }) => !hasVariableWithin(partAt(request, path.slice(1))))
  if (found.length > 0 || hasWrittenOrigin(request.url) || !hidesParts(request, checkTypes)) return found
  return [{ path: ['request', 'url'], at: 'value', text: originText }]
}

function hidesParts(request: WrittenDefinition, checkTypes: readonly CheckType[]): boolean {
  const { url: _, ...parts } = hiddenParts({ name: '', request }, checkTypes)
  return Object.values(parts).some((texts) => texts.length > 0)
}

const originText =
  'the scheme, host and port must be written out where a group has values that answers hide, since these are sent nowhere else: use variables for those values, or none here'

/** Whether scheme, host and port contain no variables. */
function hasWrittenOrigin(address: unknown): boolean {
  return typeof address !== 'string' || address === '' || /^https?:\/\/[^/?#\\{}]+([/?#]|$)/.test(address)
}

const credentialsText =
  'the url of a group must have no user, password or key: its checks may use it anywhere. Use basicAuth, headers or query parameters, or variables'

/** Whether a URL contains literal credentials. */
function hasCredentials(address: string): boolean {
  const plain = withoutPlainVariables(address)
  const [, user = ''] = /^(?:[^:/?#\\]*:)?[/\\]*([^/?#\\]*)@/.exec(plain) ?? []
  const [, query = ''] = /\?([^#]*)/.exec(plain) ?? []
  return user.replaceAll(':', '') !== '' || [...new URLSearchParams(query)].some(([name, value]) => value !== '' && isSecretName(name))
}

type Shape = TSchema & {
  readonly properties?: Readonly<Record<string, Shape>>
  readonly patternProperties?: Readonly<Record<string, Shape>>
  readonly items?: Shape
  readonly anyOf?: unknown
}

/** Validates only the shape: mapping, list or text. Variables are replaced by text later, which cannot change the shape. */
function shapeFindings(schema: Shape, value: unknown, path: Path): readonly Finding[] {
  const { properties, patternProperties, items, anyOf } = schema
  if (properties || patternProperties) {
    if (!isMapping(value)) return [must(path, 'a mapping')]
    const [any] = Object.values(patternProperties ?? {})
    return Object.entries(value).flatMap(([name, item]) => {
      const part = properties && Object.hasOwn(properties, name) ? properties[name] : any
      return part ? shapeFindings(part, item, [...path, name]) : []
    })
  }
  if (items)
    return Array.isArray(value) ? value.flatMap((item, index) => shapeFindings(items, item, [...path, index])) : [must(path, 'a list')]
  return typeof value === 'object' && value !== null && !anyOf ? [must(path, 'text')] : []
}

/** Validates the own variables of a check. */
export function ownVariableFindings(definition: WrittenDefinition, checkTypes: readonly CheckType[]): readonly Finding[] {
  const found = shownVariableFindings(definition, checkTypes)
  if (found.length > 0) return found
  const { environment = {}, locked = [], secret = [] } = variablesOf(definition) ?? {}
  const isUnsent = (key: string) => (locked.includes(key) || secret.includes(key)) && environment[key] === hiddenVariable(key)
  return Object.keys(environment)
    .filter(isUnsent)
    .map((key) => ({ path: ['variables', 'environment', key], at: 'value', text: `${key} is hidden: send its value` }))
}

/** Like `ownVariableFindings`, for a definition as responses show it, with hidden values. */
export function shownVariableFindings({ type, variables: given }: WrittenDefinition, checkTypes: readonly CheckType[]): readonly Finding[] {
  if (given === undefined || given === null) return []
  const checkType = checkTypes.find((one) => one.type === type)
  if (checkType && !checkType.wire?.hasVariables) return [{ path: ['variables'], at: 'name', text: `variables are not for ${type} checks` }]
  const structure = structureFindings(VariableFields, given, ['variables'])
  if (structure.length > 0) return structure
  const { environment = {} } = given as VariableSet
  return Object.entries(environment).flatMap(([name, value]) => variableFindings(name, value, ['variables', 'environment', name]))
}

const variableName = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/

export function variableFindings(name: string, value: unknown, path: Path = ['environment', name]): readonly Finding[] {
  const said = (text: string): readonly Finding[] => [{ path, at: 'value', text }]
  if (!variableName.test(name))
    return said('a variable must have a name of 1 to 128 letters, digits and underscores, not beginning with a digit')
  if (name === groupAddress) return said(`${groupAddress} is the address of a group: choose another name`)
  if (isReservedVariable(name))
    return said(`${name} is not allowed for checks: it changes how programs load code, find files or reach the network`)
  return String(value).includes('\0') ? said('the value of a variable must not have a NUL character') : []
}
