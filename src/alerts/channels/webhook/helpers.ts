/** The template exceeds a limit, or uses something that does not exist. */
export class TemplateFault extends Error {
  override readonly name = 'TemplateFault'
}

type Environment = { readonly uuid: string; readonly maxLength: number; readonly root: unknown }
type Helper = (params: readonly unknown[], environment: Environment) => unknown

export const helpers: Readonly<Record<string, Helper>> = Object.assign(Object.create(null), {
  lookup: ([value, name]) => property(value, textOf(name)),
  $UUID: (_, { uuid }) => uuid,
  startsWith: ([text, start]) => textOf(text).startsWith(textOf(start)),
  split: ([text, separator]) => textOf(text).split(textOf(separator)),
  json: ([value]) => JSON.stringify(value ?? null),
  replace: ([text, search, replacement], { maxLength }) => replaced(textOf(text), textOf(search), textOf(replacement), maxLength),
  /** `tagValue "team"` gives `shop` for the tag `team:shop`. */
  tagValue([name], { root }) {
    const tags = property(root, 'TAGS')
    const prefix = `${textOf(name)}:`
    return (Array.isArray(tags) ? tags : [])
      .map(textOf)
      .find((tag) => tag.startsWith(prefix))
      ?.slice(prefix.length)
  },
} satisfies Record<string, Helper>)

function replaced(text: string, search: string, replacement: string, maxLength: number): string {
  if (search === '') return text
  const parts = text.split(search)
  if (text.length + (parts.length - 1) * replacement.length > maxLength) throw new TemplateFault('the template has too many replacements')
  return parts.join(replacement)
}

/** Own properties only. */
export function property(value: unknown, name: string): unknown {
  if (value === null || value === undefined || !Object.hasOwn(Object(value), name)) return undefined
  return (value as Readonly<Record<string, unknown>>)[name]
}

/** A value as a template shows it. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return value.map(textOf).join(',')
  return typeof value === 'object' ? '[object Object]' : String(value)
}

/** The number of characters that a helper processes. */
export function lengthOf(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + lengthOf(item), value.length)
  return typeof value === 'string' ? value.length : 0
}
