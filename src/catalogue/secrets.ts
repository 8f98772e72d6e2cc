import { isIP } from 'node:net'
import { isSite, spellings } from '../checks/probe/redact.ts'

/** A variable of the environment, where the file names it. */
export type Substitution = {
  readonly name: string
  readonly value: string
  /** How it stands there: as the whole text, as the host of an address, or somewhere in a text. */
  readonly as: 'whole' | 'host' | 'part'
}

/** The texts that nobody may read of the variables in a check's settings, in every spelling. */
export function secretTexts(inSettings: readonly Substitution[], inLabels: readonly Substitution[] = []): readonly string[] {
  const shown = new Set(inLabels.map(({ name }) => name))
  const secret = [...inSettings, ...inLabels].filter((one) => isNamedSecret(one) || (!shown.has(one.name) && !isHarmless(one)))
  return [...new Set(secret.flatMap(hiddenParts).flatMap(spellings))]
}

/** Whether the name of a variable says what it is. */
function isNamedSecret({ name }: Substitution): boolean {
  return /(auth|cookie|credentials?|key|pass|passphrase|passw(or)?d|pwd|secret|session|signature|token)$/i.test(name)
}

/** Whether a value says only where something is, or too little to be a secret. */
function isHarmless({ value, as }: Substitution): boolean {
  return as === 'host' || isSite(value) || (as === 'whole' && isHost(value)) || /^(\d{1,5}|true|false|null|none)$/i.test(value)
}

function isHost(text: string): boolean {
  const host = text.replace(/:\d{1,5}$/, '')
  return isIP(text) !== 0 || isIP(host.replace(/^\[|\]$/g, '')) !== 0 || /^(localhost|([a-z0-9-]{1,63}\.)+[a-z]{2,24})$/.test(host)
}

const shortestPart = 8

/** A value whole and in the parts that might be told alone; of an address only what follows the site, unless the name says more. */
function hiddenParts(substitution: Substitution): readonly string[] {
  const { value, as } = substitution
  const [, user = '', rest] = /^https?:\/\/(?:([^/?#]*)@)?[^/?#]*[/?#]?(.*)$/s.exec(value) ?? []
  const parts = rest === undefined ? value.split(/[\r\n]+/) : [...rest.split(/[/?#&=]/), ...user.split(':')]
  return [
    ...(rest === undefined || isNamedSecret(substitution) ? [value] : []),
    ...(rest === undefined ? [] : [rest, user]),
    ...(as === 'host' ? [value.toLowerCase()] : []),
    ...parts.filter((part) => part.length >= shortestPart),
  ]
}
