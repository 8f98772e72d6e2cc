export type TriedCall = {
  readonly method: string
  /** The path template, such as `/v1/checks/{id}`. */
  readonly path: string
  readonly parameters: readonly TriedParameter[]
  readonly body?: { readonly type: string; readonly example: string }
}

export type TriedParameter = {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly required: boolean
  readonly choices?: readonly string[]
  /** Several choices may be given, separated by commas. */
  readonly list?: boolean
}

/** The initial value of a field: a real id, or for required choices one that is valid for every check. */
export function exampleOf({ name, in: where, required, choices = [] }: TriedParameter, known: readonly { readonly id: string }[]): string {
  if (where === 'path') return choices[0] ?? (name === 'id' || name === 'checkId' ? (known[0]?.id ?? '') : '')
  if (!required) return ''
  return choices.includes('availability') ? 'availability' : (choices[0] ?? '')
}

/** The list that provides ids for the path of a call; null if the path has none. */
export function idSource({ path }: Pick<TriedCall, 'path'>): string | null {
  if (!/\{(id|checkId)\}/.test(path)) return null
  const [, list] = /^(\/v1\/(?:slos|alerts|silences))\/\{id\}/.exec(path) ?? []
  return list ?? '/v1/checks?limit=100'
}

/** The path and query of a call, without empty parameters. */
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

/** Pretty-prints JSON; returns any other text unchanged. */
export function readable(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
