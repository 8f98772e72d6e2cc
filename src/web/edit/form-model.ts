import { capitalized } from '../../text/capitalized.ts'
import { wordsOf } from '../view/words.ts'

/** The used part of the JSON schema for editors of config files. */
type FormSchema = {
  readonly type?: string | readonly string[]
  readonly title?: string
  readonly description?: string
  readonly pattern?: string
  readonly minLength?: number
  readonly contentMediaType?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly FormSchema[]
  readonly items?: FormSchema
  readonly properties?: Readonly<Record<string, FormSchema>>
  readonly patternProperties?: Readonly<Record<string, FormSchema>>
  readonly required?: readonly string[]
}
export type EditorSchema = { readonly definitions: Readonly<Record<string, FormSchema>> }

/** `pairs` maps names to texts, `words` is a list of texts, `rows` a list of field groups, and `checkGroup` the group of the check. */
export type FieldKind = 'text' | 'long' | 'code' | 'number' | 'choice' | 'yesNo' | 'words' | 'pairs' | 'group' | 'rows' | 'checkGroup'

export type FormField = {
  readonly name: string
  readonly kind: FieldKind
  readonly label: string
  readonly help: string
  readonly isNeeded: boolean
  /** The options of a choice. */
  readonly choices: readonly string[]
  /** The fields of a group, or of each row. */
  readonly fields: readonly FormField[]
  /** The minimum length of a text. Long minimums mark secrets that must be hard to guess. */
  readonly minLength: number
  /** Whether a text may also be a number. */
  readonly takesNumbers: boolean
}

/** The form of a type: its own settings, and those common to all types. */
export type CheckForm = { readonly own: readonly FormField[]; readonly common: readonly FormField[] }

/** Fields without an input: the type is chosen before, and the others are for files and other clients. */
const leftOut: readonly string[] = ['type', 'forEach', 'clientFields']
/** The most used fields, in this order. All others follow. */
export const mainFields: readonly string[] = ['name', 'frequency', 'locations', 'tags']

const noField = { isNeeded: false, choices: [], fields: [], minLength: 0, takesNumbers: false } as const

/** The schema of config files lacks this field, because only managed checks can be in a managed group. */
export const groupField: FormField = {
  ...noField,
  name: 'groupId',
  kind: 'checkGroup',
  label: 'Group',
  help: 'Settings left out here come from the group; variables, headers and assertions of the group are added where the type has them',
}

/** Variables of a managed check, which the schema of config files lacks as well. */
export const variablesField: FormField = {
  ...noField,
  name: 'variables',
  kind: 'group',
  label: 'Variables',
  help: 'What $' + '{NAME} is in this check only; a hidden value stays unless it is changed',
  fields: [
    { ...noField, name: 'environment', kind: 'pairs', label: 'Names and values', help: '' },
    { ...noField, name: 'locked', kind: 'words', label: 'Locked', help: 'Names of variables whose values are never shown' },
    { ...noField, name: 'secret', kind: 'words', label: 'Secret', help: 'Names of variables whose values are also encrypted' },
  ],
}

export function formOf({ definitions }: EditorSchema, type: string): CheckForm | undefined {
  const properties = definitions[type]?.properties
  if (properties === undefined) return undefined
  const ofAll = definitions.check?.properties ?? {}
  const names = Object.keys(properties).filter((name) => !leftOut.includes(name))
  const fields = names.map((name) => fieldOf(name, properties[name] ?? {}, !mayBeNull(properties[name] ?? {})))
  const common = fields.filter(({ name }) => Object.hasOwn(ofAll, name))
  const rank = ({ name }: FormField) => (mainFields.indexOf(name) + 1 || mainFields.length + 1) + (name === 'id' ? 1 : 0)
  return { own: fields.filter((field) => !common.includes(field)), common: common.toSorted((a, b) => rank(a) - rank(b)) }
}

function fieldOf(name: string, given: FormSchema, isNeeded: boolean): FormField {
  const schema = unwrapped(given)
  const within = schema.items === undefined ? schema : unwrapped(schema.items)
  const { properties = {}, required = [] } = within
  return {
    name,
    kind: kindOf(schema, within),
    label: wordsOf(name),
    help: capitalized([schema.title, schema.description].filter((part) => part !== undefined).join(': ')),
    isNeeded,
    choices: choicesOf(schema),
    fields: Object.entries(properties).map(([key, value]) => fieldOf(key, value, required.includes(key))),
    minLength: schema.minLength ?? 0,
    takesNumbers: schema.anyOf !== undefined,
  }
}

const variablePattern = '\\$\\{'
const mayBeNull = ({ anyOf = [] }: FormSchema) => anyOf.some(({ type }) => type === 'null')

/** Removes the alternatives for variables and null from a schema. */
function unwrapped(schema: FormSchema): FormSchema {
  const own = (schema.anyOf ?? []).filter(({ type, pattern }) => type !== 'null' && pattern !== variablePattern)
  const [only] = own
  if (only === undefined || own.length > 1) return schema
  const { anyOf: _, ...rest } = schema
  return unwrapped({ ...rest, ...only })
}

function kindOf(schema: FormSchema, within: FormSchema): FieldKind {
  if (choicesOf(schema).length > 0) return 'choice'
  if (schema.items !== undefined) return within.properties === undefined ? 'words' : 'rows'
  if (schema.properties !== undefined) return 'group'
  if (schema.patternProperties !== undefined) return 'pairs'
  if (schema.type === 'boolean') return 'yesNo'
  if (schema.type === 'number' || schema.type === 'integer') return 'number'
  if (schema.contentMediaType === undefined) return 'text'
  return schema.contentMediaType === 'text/plain' ? 'long' : 'code'
}

function choicesOf({ enum: choices, anyOf = [] }: FormSchema): readonly string[] {
  if (choices !== undefined) return choices.map(String)
  const constants = anyOf.map((one) => unwrapped(one).const)
  return constants.includes(undefined) ? [] : constants.map(String)
}

/** The field whose rows are assertions, with its path. */
export function assertionRows(
  fields: readonly FormField[],
  above: readonly string[] = [],
): { field: FormField; path: readonly string[] } | undefined {
  for (const field of fields) {
    const path = [...above, field.name]
    const names = field.fields.map(({ name }) => name)
    if (field.kind === 'rows' && names.includes('source') && names.includes('comparison')) return { field, path }
    const found = field.kind === 'group' ? assertionRows(field.fields, path) : undefined
    if (found !== undefined) return found
  }
  return undefined
}
