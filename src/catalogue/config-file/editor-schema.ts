import { channelTypes } from '../../alerts/channels/registry.ts'
import type { CheckType } from '../../checks/define.ts'
import { checkTypes } from '../../checks/registry.ts'
import { AnyRule } from '../policies/alert-rule.ts'
import { CanaryEntry, DeadManEntry } from '../policies/canaries.ts'
import { configuredChannelSchema } from '../policies/channels.ts'
import { AnyMaintenance } from '../policies/maintenance.ts'
import { ServiceHoursEntry } from '../policies/service-hours.ts'
import { AnySlo } from '../policies/slo.ts'
import { IncludedFile } from './composition-schema.ts'
import { AnyCheckEntry, ConfigFile, configuredCheckSchema } from './config-schema.ts'

type Json = null | string | number | boolean | readonly Json[] | { readonly [name: string]: Json }
type JsonObject = { readonly [name: string]: Json }

/**
 * The JSON schemas of the config file and included files, for editors. Rules across several fields are only validated by `tidemark
 * validate`.
 */
export const editorSchemas = {
  config: () => rootSchema('The config file of Tidemark', withLists(plain(ConfigFile))),
  included: () => rootSchema('A file that the config file of Tidemark includes', withLists(plain(IncludedFile))),
}

function rootSchema(title: string, schema: JsonObject): JsonObject {
  const { properties } = objectOf(schema)
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title,
    ...schema,
    properties: properties ?? {},
    patternProperties: { '^x-': {} },
    definitions: {
      check: checkSchema(),
      defaults: defaultsSchema(),
      ...Object.fromEntries(checkTypes.map((checkType) => [checkType.type, ofType(checkType)])),
      channel: { anyOf: channelTypes.map((type) => typed(plain(configuredChannelSchema(type)), type.type)) },
      alert: plain(AnyRule),
      maintenance: plain(AnyMaintenance),
      serviceHours: plain(ServiceHoursEntry),
      slo: plain(AnySlo),
      canary: plain(CanaryEntry),
      deadManSwitch: plain(DeadManEntry),
    },
  }
}

/** Lists whose entries have schemas of their own. */
const lists: Readonly<Record<string, string>> = {
  checks: 'check',
  channels: 'channel',
  alerts: 'alert',
  maintenance: 'maintenance',
  serviceHours: 'serviceHours',
  slos: 'slo',
}
const single: readonly string[] = ['defaults', 'canary', 'deadManSwitch']
/** Lists of ids with these names only select entries. */
const isSelection = (schema: JsonObject) => objectOf(schema.items).type === 'string'

/** Adds the schemas of entries to the lists of a file. */
function withLists(schema: JsonObject): JsonObject {
  const properties = Object.entries(objectOf(schema.properties)).map(([name, given]): readonly [string, Json] => {
    const value = objectOf(given)
    const entry = lists[name]
    if (single.includes(name)) return [name, { $ref: `#/definitions/${name}` }]
    if (entry !== undefined && !isSelection(value)) return [name, { ...value, items: { $ref: `#/definitions/${entry}` } }]
    return [name, value.items === undefined ? value : { ...value, items: withLists(objectOf(value.items)) }]
  })
  return schema.properties === undefined ? schema : { ...schema, properties: Object.fromEntries(properties) }
}

/** Any field may be inherited, so that only the name is required. */
function checkSchema(): JsonObject {
  const type = { enum: checkTypes.map((checkType) => checkType.type) }
  return {
    type: 'object',
    required: ['name'],
    properties: { ...nullable(objectOf(plain(AnyCheckEntry).properties)), type, forEach },
    allOf: checkTypes.map((checkType) => ({
      if: { required: ['type'], properties: { type: { const: checkType.type } } },
      // biome-ignore lint/suspicious/noThenProperty: the name that JSON schema has for it
      then: { $ref: `#/definitions/${checkType.type}` },
    })),
  }
}

const scalar = { type: ['string', 'number', 'boolean'] }
const forEach: JsonObject = {
  description: `One check for each of these, with \${each.NAME} in its texts: a list of mappings, or a mapping of lists for all combinations.`,
  oneOf: [
    { type: 'array', minItems: 1, items: { type: 'object', additionalProperties: scalar } },
    { type: 'object', minProperties: 1, additionalProperties: { type: 'array', minItems: 1, items: scalar } },
  ],
}

function ofType(checkType: CheckType): JsonObject {
  const { properties, required, ...rest } = plain(configuredCheckSchema(checkType))
  const isNeeded = (name: string) => Array.isArray(required) && required.includes(name)
  const fields = nullable(objectOf(properties), (name) => !isNeeded(name))
  return { ...rest, required: [], properties: { ...fields, type: { const: checkType.type }, forEach } }
}

/** Null means that a field is not inherited. Required fields cannot be null, by which the page recognizes them. */
function nullable(properties: JsonObject, mayBeNull = (_name: string) => true): JsonObject {
  const entries = Object.entries(properties).map(([name, schema]): readonly [string, Json] => [
    name,
    mayBeNull(name) ? { anyOf: [schema, { type: 'null' }] } : schema,
  ])
  return Object.fromEntries(entries)
}

function defaultsSchema(): JsonObject {
  const withoutOwn = ({ id: _, name: __, ...fields }: JsonObject) => fields
  const fieldsOf = (checkType: CheckType) => withoutOwn(nullable(objectOf(plain(configuredCheckSchema(checkType)).properties)))
  const ofTypes = checkTypes.map((checkType): readonly [string, Json] => [
    checkType.type,
    { type: 'object', properties: fieldsOf(checkType), additionalProperties: false },
  ])
  const settings = Object.fromEntries(checkTypes.flatMap((checkType) => Object.keys(fieldsOf(checkType)).map((name) => [name, {}])))
  const common = withoutOwn(nullable(objectOf(plain(AnyCheckEntry).properties)))
  return { type: 'object', properties: { ...settings, ...common, ...Object.fromEntries(ofTypes) }, additionalProperties: false }
}

function typed(schema: JsonObject, type: string): JsonObject {
  return { ...schema, properties: { ...objectOf(schema.properties), type: { const: type } } }
}

const leafTypes: readonly unknown[] = ['string', 'number', 'integer', 'boolean']
const variable = { type: 'string', pattern: '\\$\\{' }

/** Converts one of our schemas to a JSON schema, in which every value may also be a text with a variable. */
function plain(schema: object): JsonObject {
  const converted = Object.entries(schema).filter(([name]) => !name.startsWith('~'))
  const json = Object.fromEntries(converted.map(([name, value]) => [name, plainPart(name, value)])) as JsonObject
  const isLeaf = leafTypes.includes(json.type) || json.enum !== undefined || json.const !== undefined
  return isLeaf ? { ...(json.description !== undefined && { description: json.description }), anyOf: [json, variable] } : json
}

function plainPart(name: string, value: unknown): Json {
  if (name === 'properties' || name === 'patternProperties')
    return Object.fromEntries(Object.entries(value as object).map(([key, schema]) => [key, plain(schema)]))
  if (name === 'items') return plain(value as object)
  if (name === 'anyOf') return (value as readonly object[]).map(plain)
  return value as Json
}

function objectOf(value: Json | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {}
}
