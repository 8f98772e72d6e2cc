import type { WireReader } from './wire-reader.ts'

type Pairs = Readonly<Record<string, string>>

/** A list of keys and values, such as headers. `locked` and `secret` are ignored: no response shows secret values anyway. */
export function readPairs(owner: WireReader, name: string): Pairs | undefined {
  const pairs = new Map<string, string>()
  for (const [index, pair] of owner.objects(name).entries()) {
    const key = pair.text('key')
    const value = pair.template('value') ?? ''
    pair.ignore('locked', 'secret')
    if (key === undefined) {
      if (value !== '') pair.fault('key', 'key is missing')
    } else if (pairs.has(key)) owner.fault(name, `${name}[${index}]: ${key.slice(0, 100)} is listed twice`)
    else pairs.set(key, value)
  }
  return pairs.size === 0 ? undefined : Object.fromEntries(pairs)
}

export function writePairs(pairs: Pairs = {}) {
  return Object.entries(pairs).map(([key, value]) => ({ key, value, locked: false }))
}

/** Variables of a script. */
export function writeVariables(environment: Pairs = {}) {
  return writePairs(environment).map((pair) => ({ ...pair, secret: true }))
}
