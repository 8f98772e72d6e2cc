import { isMapping } from '../collections/mapping.ts'

/** What is wrong with a definition or a body, at a JSON pointer. */
export type DefinitionFault = { readonly pointer: string; readonly message: string }

/** One object of an API body. Unread fields must be empty: an unknown field is rejected by name. */
export type WireReader = {
  readonly pointer: string
  /** Undefined if the field is absent, null or empty. */
  text(name: string, maxLength?: number): string | undefined
  /** A text with variables, which bodies may also write as `{{NAME}}` or `{{{NAME}}}`. */
  template(name: string): string | undefined
  flag(name: string): boolean | undefined
  number(name: string): number | undefined
  /** One of these words, in any case. */
  word<Word extends string>(name: string, words: Readonly<Record<string, Word>>): Word | undefined
  texts(name: string): readonly string[]
  /** An object without fields if the field is absent. */
  object(name: string): WireReader
  objects(name: string): readonly WireReader[]
  /** The value as it is; marks the field as read. */
  raw(name: string): unknown
  /** Marks fields as read that have no effect here, such as those that only responses have. */
  ignore(...names: readonly string[]): void
  fault(name: string, message: string): void
  /** Adds faults for unread fields. */
  end(): void
}

/** State of a body that is being read. */
export type WireNotes = {
  readonly faults: DefinitionFault[]
  /** How variables are written in braces, such as `{{NAME}}` and `{{ NAME }}`. */
  braces?: Set<string>
}

const maxFaults = 100
const maxListLength = 1000
const maxTextLength = 100_000

export function wireReader(value: unknown, notes: WireNotes, pointer = ''): WireReader {
  const { faults } = notes
  const fields = isMapping(value) ? value : {}
  const read = new Set<string>()
  const children: WireReader[] = []
  const at = (name: string) => `${pointer}/${escapedStep(name)}`
  const addFault = (place: string, message: string) => {
    if (faults.length < maxFaults) faults.push({ pointer: place, message })
  }
  const take = (name: string): unknown => {
    read.add(name)
    return Object.hasOwn(fields, name) ? fields[name] : undefined
  }
  const listOf = (name: string): readonly unknown[] => {
    const list = take(name) ?? []
    if (Array.isArray(list) && list.length <= maxListLength) return list
    addFault(at(name), `${name} must be a list with at most ${maxListLength} in it`)
    return []
  }
  const child = (item: unknown, place: string): WireReader => {
    const reader = wireReader(item, notes, place)
    children.push(reader)
    return reader
  }
  if (value !== undefined && value !== null && !isMapping(value)) addFault(pointer, 'must be an object')
  const textOf = (name: string, maxLength = maxTextLength): string | undefined => {
    const text = take(name) ?? ''
    if (typeof text === 'string' && text.length <= maxLength) return text === '' ? undefined : text
    addFault(at(name), `${name} must be text of at most ${maxLength.toLocaleString('en-US')} characters`)
    return undefined
  }
  return {
    pointer,
    text: textOf,
    template: (name) =>
      textOf(name)?.replace(bracedVariables, (whole: string, tripled?: string, doubled?: string) => {
        const variable = tripled ?? doubled ?? ''
        notes.braces = (notes.braces ?? new Set()).add(whole.replace(variable, 'NAME'))
        return `\${${variable}}`
      }),
    flag(name) {
      const flag = take(name) ?? undefined
      if (flag === undefined || typeof flag === 'boolean') return flag
      addFault(at(name), `${name} must be true or false`)
      return undefined
    },
    number(name) {
      const number = take(name) ?? undefined
      if (number === undefined || (typeof number === 'number' && Number.isFinite(number))) return number
      addFault(at(name), `${name} must be a number`)
      return undefined
    },
    word(name, words) {
      const given = take(name) ?? ''
      if (given === '') return undefined
      const found = Object.entries(words).find(([word]) => word === String(given).toUpperCase())
      if (!found) addFault(at(name), `${name} must be one of ${Object.keys(words).join(', ')}`)
      return found?.[1]
    },
    texts(name) {
      return listOf(name).flatMap((text, index) => {
        if (typeof text === 'string' && text.length <= maxTextLength) return [text]
        addFault(`${at(name)}/${index}`, `${name} must be a list of texts`)
        return []
      })
    },
    object: (name) => child(take(name), at(name)),
    objects: (name) => listOf(name).map((item, index) => child(item, `${at(name)}/${index}`)),
    raw: take,
    ignore(...names) {
      for (const name of names) read.add(name)
    },
    fault: (name, message) => addFault(at(name), message),
    end() {
      for (const [name, item] of Object.entries(fields))
        if (!read.has(name) && !isNeutral(item)) addFault(at(name), `${name.slice(0, 100)} is not supported here`)
      for (const reader of children) reader.end()
    },
  }
}

/** In other clients, values in two braces are encoded in addresses, and those in three are not. Here, neither is encoded. */
const bracedVariables = /\{\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}\}|\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}/g

const maxDepth = 8

/** Whether a value is empty: null, false, 0, an empty text, or made only of such values. */
function isNeutral(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return !value
  return depth < maxDepth && Object.values(value).every((item) => isNeutral(item, depth + 1))
}

/** A step of a JSON pointer. */
export function escapedStep(step: string | number): string {
  return String(step).replaceAll('~', '~0').replaceAll('/', '~1')
}
