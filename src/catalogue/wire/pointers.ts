import type { CheckType } from '../../checks/define.ts'
import { escapedStep } from '../../checks/wire-reader.ts'
import type { Path } from '../config-file/faults.ts'

const ofAllTypes: Readonly<Record<string, string>> = {
  '/type': '/checkType',
  '/retry': '/retryStrategy',
  '/retry/strategy': '/retryStrategy/type',
  '/retry/baseBackoff': '/retryStrategy/baseBackoffSeconds',
  '/retry/onlyOnNetworkErrors': '/retryStrategy/onlyOn',
}

/** Fields that bodies have only within `definition`. */
const withinDefinition = ['id', 'timeout', 'evidence', 'dependsOn', 'alerts', 'frequencyWhenFailing', 'clientFields']

const clientSubscriptions = '/clientFields/alertChannelSubscriptions'

/** Mappings that bodies represent as lists. */
const lists = ['/request/headers', '/request/query', '/environment']

/** Maps a path of a definition to a JSON pointer into a body of the API. */
export function wirePointer({ wire }: CheckType, path: Path): string {
  const pointer = jsonPointer(path)
  if (pointer.startsWith(clientSubscriptions)) return pointer.slice('/clientFields'.length)
  if (path[0] === 'variables') return '/environmentVariables'
  if (withinDefinition.includes(String(path[0]))) return `/definition${pointer}`
  const known = lists.find((list) => pointer.startsWith(`${list}/`)) ?? pointer
  return renamedPointer(known, { ...ofAllTypes, ...wire?.pointers })
}

/** Replaces the longest prefix of a JSON pointer that `names` contains. */
export function renamedPointer(pointer: string, names: Readonly<Record<string, string>>): string {
  const renamed = Object.entries(names)
    .filter(([from]) => pointer === from || pointer.startsWith(`${from}/`))
    .sort(([one], [other]) => other.length - one.length)
  const [[from, to] = ['', '']] = renamed
  return `${to}${pointer.slice(from.length)}`
}

export function jsonPointer(path: Path): string {
  return path.map((step) => `/${escapedStep(step)}`).join('')
}

/** Like `wirePointer`, for a JSON pointer into the definition. */
export function bodyPointer(checkType: CheckType, pointer: string): string {
  const steps = pointer.split('/').slice(1)
  return wirePointer(
    checkType,
    steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~')),
  )
}
