import { isIP } from 'node:net'
import { memoize } from '../cache/cache.ts'
import { encodings, isOriginUrl } from '../checks/probe/redact.ts'

/** A reference to an environment variable, or to a file as `file:path`, with its value. */
export type Substitution = {
  readonly name: string
  readonly value: string
  /** Its position: the whole text, the host of a URL, or part of a text. */
  readonly as: 'whole' | 'host' | 'part'
  /** Set for a secret, regardless of its name and value. */
  readonly isSecret?: true
}

/** The secret texts among the variables in a check's settings, in every encoding. */
export function secretTexts(inSettings: readonly Substitution[], inLabels: readonly Substitution[] = []): readonly string[] {
  const shown = new Set(inLabels.map(({ name }) => name))
  const secret = [...inSettings, ...inLabels].filter((one) => isSure(one) || (!shown.has(one.name) && !isHarmless(one)))
  return [...new Set(secret.flatMap(encodedParts))]
}

/** Many checks refer to the same few variables. */
const memoized = memoize<readonly string[]>(1000)
const encodedParts = (one: Substitution) =>
  memoized(JSON.stringify([one.name, one.value, one.as, one.isSecret]), () => secretParts(one).flatMap(encodings))

const isSure = (one: Pick<Substitution, 'name' | 'isSecret'>) => one.isSecret === true || isNamedSecret(one)

/** Whether the name of a variable marks it as secret. The contents of a file are always secret. */
export function isNamedSecret({ name }: Pick<Substitution, 'name'>): boolean {
  return (
    name.startsWith('file:') || /(auth|cookie|credentials?|key|pass|passphrase|passw(or)?d|pwd|secret|session|signature|token)$/i.test(name)
  )
}

/** Whether a value is only an address, or too short and common to be a secret. */
function isHarmless({ value, as }: Substitution): boolean {
  return as === 'host' || isOriginUrl(value) || (as === 'whole' && isHost(value)) || /^(\d{1,5}|true|false|null|none)$/i.test(value)
}

function isHost(text: string): boolean {
  const host = text.replace(/:\d{1,5}$/, '')
  return isIP(text) !== 0 || isIP(host.replace(/^\[|\]$/g, '')) !== 0 || /^(localhost|([a-z0-9-]{1,63}\.)+[a-z]{2,24})$/.test(host)
}

const minPartLength = 8

/**
 * The value, and its parts that could appear on their own. For a URL, only parts other than the origin, unless its name marks it as secret.
 */
function secretParts(substitution: Substitution): readonly string[] {
  const { value, as } = substitution
  const [, user = '', rest] = /^https?:\/\/(?:([^/?#]*)@)?[^/?#]*[/?#]?(.*)$/s.exec(value) ?? []
  const parts = rest === undefined ? value.split(/[\r\n]+/) : [...rest.split(/[/?#&=]/), ...user.split(':')]
  return [
    ...(rest === undefined || isSure(substitution) ? [value] : []),
    ...(rest === undefined ? [] : [rest, user]),
    ...(as === 'host' ? [value.toLowerCase()] : []),
    ...parts.filter((part) => part.length >= minPartLength),
  ]
}
