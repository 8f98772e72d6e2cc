import { isDeepStrictEqual } from 'node:util'
import { present } from '../../checks/wire.ts'
import type { WireReader } from '../../checks/wire-reader.ts'
import type { Path } from '../config-file/faults.ts'
import type { VariableSet } from '../written-definition.ts'

/** Variables of a group, or of a check. */
export function readVariableSet(reader: WireReader): VariableSet {
  const environment = new Map<string, string>()
  const [locked, secret]: [string[], string[]] = [[], []]
  for (const [index, variable] of reader.objects('environmentVariables').entries()) {
    const key = variable.text('key')
    const value = variable.text('value') ?? ''
    if (variable.flag('locked') && key !== undefined) locked.push(key)
    if (variable.flag('secret') && key !== undefined) secret.push(key)
    if (key === undefined) variable.fault('key', 'key is missing')
    else if (environment.has(key))
      reader.fault('environmentVariables', `environmentVariables[${index}]: ${key.slice(0, 100)} is listed twice`)
    else environment.set(key, value)
  }
  return present<unknown>({
    environment: environment.size > 0 ? Object.fromEntries(environment) : undefined,
    locked: locked.length > 0 ? locked : undefined,
    secret: secret.length > 0 ? secret : undefined,
  })
}

export function variableList({ environment = {}, locked = [], secret = [] }: VariableSet) {
  return Object.entries(environment).map(([key, value]) => ({ key, value, locked: locked.includes(key), secret: secret.includes(key) }))
}

/** Keys of variables whose unchanged values would be shown from now on, or no longer be encrypted. */
export function openedKeys(hidden: readonly Path[], at: Path, next: VariableSet = {}, previous: VariableSet = {}): readonly string[] {
  const isSecret = ({ secret = [] }: VariableSet, key: string) => secret.includes(key)
  const isShown = (key: string) => !next.locked?.includes(key) && !isSecret(next, key)
  return hidden
    .filter((path) => isDeepStrictEqual(path.slice(0, -1), [...at, 'environment']))
    .map((path) => String(path.at(-1)))
    .filter((key) => isShown(key) || (isSecret(previous, key) && !isSecret(next, key)))
}

export const openedText = (key: string) => `${key} was hidden: send its value again to show it`
