export type TriedCall = {
  readonly method: string
  /** With its parameters in braces, such as `/v1/checks/{id}`. */
  readonly path: string
  readonly parameters: readonly { readonly name: string; readonly in: 'path' | 'query'; readonly required: boolean }[]
  readonly body?: { readonly type: string; readonly example: string }
}

/** The path and query of a call; parameters without a value are left out. */
export function urlOf({ path, parameters }: TriedCall, values: ReadonlyMap<string, string>): string {
  const query = new URLSearchParams()
  let filled = path
  for (const { name, in: where } of parameters) {
    const value = values.get(name)?.trim() ?? ''
    if (where === 'path') filled = filled.replace(`{${name}}`, encodeURIComponent(value))
    else if (value !== '') query.set(name, value)
  }
  const text = query.toString()
  return text === '' ? filled : `${filled}?${text}`
}

/** JSON with line breaks and indents; any other text as it is. */
export function readable(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
