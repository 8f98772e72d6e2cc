import { isDeepStrictEqual } from 'node:util'
import { stringify } from 'yaml'
import type { CheckType } from '../checks/define.ts'
import { exactRedactor } from '../checks/probe/redact.ts'
import { sha256 } from '../ids/sha256.ts'
import type { Check } from './catalogue.ts'
import { isNamedSecret } from './secrets.ts'

/** A check as the config file has it: variables by their names. */
export type WrittenDefinition = Readonly<Record<string, unknown>>

/** Variables of a group, or of one check; those in `secret` are encrypted. */
export type VariableSet = {
  readonly environment?: Readonly<Record<string, string>>
  readonly locked?: readonly string[]
  readonly secret?: readonly string[]
}

type Written = Pick<Check, 'checkType' | 'settings' | 'secrets' | 'written'>

/** Its entry in the config file; secrets that are written out there are variables here. */
export function shownDefinition(check: Written): WrittenDefinition {
  return hideWritten(check.written, hiddenTexts(check))
}

/** A definition without these texts, and without the values of its own variables that are locked or secret. */
export function hideWritten(written: WrittenDefinition, hidden: readonly string[]): WrittenDefinition {
  const variables = variablesOf(written)
  const shown = hideTexts(written, hidden)
  return variables ? { ...shown, variables: shownVariables(variables) } : shown
}

/** The variables of a managed check alone. */
export function variablesOf({ variables }: WrittenDefinition): VariableSet | undefined {
  return typeof variables === 'object' && variables !== null ? (variables as VariableSet) : undefined
}

/** Variables that are locked or secret stand for themselves. */
export function shownVariables<T extends VariableSet>(set: T): T {
  const { environment, locked = [], secret = [] } = set
  if (!environment) return set
  const hidden = new Set([...locked, ...secret])
  const texts = Object.entries(environment).map(([key, text]) => [key, hidden.has(key) ? hiddenVariable(key) : text])
  return { ...set, environment: Object.fromEntries(texts) }
}

/** What answers have in place of the value of a variable. */
export const hiddenVariable = (key: string) => `\${${key}}`

/** Whether texts are written out in it that no answer shows. */
export function hidesTexts(check: Written): boolean {
  return !isDeepStrictEqual(shownDefinition(check), check.written)
}

/** The texts that no answer may show. */
export function hiddenTexts({ checkType, settings, secrets }: Written): readonly string[] {
  const token = tokenOf({ checkType, settings })
  return [...secrets, ...(checkType.secrets?.(settings) ?? []), ...(token === null ? [] : [token])]
}

/** The secrets of a definition that may have faults, or variables without a value. */
export function declaredSecrets(definition: WrittenDefinition, checkType: CheckType | undefined): readonly string[] {
  try {
    return checkType?.secrets?.(definition) ?? []
  } catch {
    // Without the structure that its type expects, nothing says which of its texts are secrets.
    return []
  }
}

/** What stands in place of a text that is hidden: `field` is where it is, `variable` the one whose default it is. */
export type HiddenReference = (hidden: { readonly text: string; readonly field: string; readonly variable?: string }) => string

/** A definition with variables, named as its fields are, in place of these texts, and of credentials in addresses. */
export function hideTexts(
  written: WrittenDefinition,
  hidden: readonly string[],
  reference: HiddenReference = namedAsField,
): WrittenDefinition {
  const isHidden = exactRedactor(hidden)
  const whole = new Set(hidden)
  const shown = (text: string, field: string) => {
    if (whole.has(text)) return reference({ text, field })
    // What was replaced must not be looked at again.
    const references: string[] = []
    const place = (found: string) => `${mask}${references.push(found) - 1}${mask}`
    const masked = text
      .replace(defaults, (found, variable: string, otherwise: string) =>
        isNamedSecret({ name: variable }) || isHidden(otherwise) !== otherwise
          ? place(reference({ text: otherwise, field, variable }))
          : found,
      )
      .replace(credentials, (_, scheme: string, user: string) => `${scheme}${place(reference({ text: user, field }))}@`)
    const redact = exactRedactor(hidden, (secret) => place(reference({ text: secret, field })))
    return redact(masked).replace(places, (found, index: string) => references[Number(index)] ?? found)
  }
  return mapTexts(written, '', shown) as WrittenDefinition
}

const namedAsField: HiddenReference = ({ field, variable }) => `\${${variable ?? variableName(field)}}`

/** The definition as an item of `checks:`. */
export function definitionYaml(definition: WrittenDefinition): string {
  return stringify([definition], { lineWidth: 0 })
}

/** How the file names the token of a check that waits for pings, such as `${PING_TOKEN}`; null for any other. */
export function tokenName(check: Written): string | null {
  const token = tokenOf(check)
  if (token === null) return null
  const found: string[] = []
  collectTexts(check.settings, shownDefinition(check), (value, shown) => value === token && found.push(shown))
  return found[0] ?? null
}

/** Around the index of what stands in place of a hidden text. */
const mask = '\uE000'
const places = /\uE000([0-9]+)\uE000/g

/** A variable with a default. */
const defaults = /\$\{([A-Za-z_][A-Za-z0-9_]*):-([^{}]*)\}/g

/** Before the host of a URL, unless they are variables. */
const credentials = /^(https?:\/\/)(?!\$\{)([^/?#@]*)@/

function tokenOf({ checkType, settings }: Pick<Check, 'checkType' | 'settings'>): string | null {
  const hash = checkType.pingSettings?.(settings).tokenHash
  const found: string[] = []
  if (hash !== undefined) collectTexts(settings, settings, (text) => (text === hash || sha256(text) === hash) && found.push(text))
  return found[0] ?? null
}

/** A value with each of its texts changed; `name` is the field that it stands in. */
export function mapTexts(value: unknown, name: string, change: (text: string, name: string) => string): unknown {
  if (typeof value === 'string') return change(value, name)
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, name, change))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapTexts(item, key, change)]))
}

/** Each text of a value, and what stands at the same place of another. */
function collectTexts(value: unknown, other: unknown, found: (text: string, other: string) => void): void {
  if (typeof value === 'string') found(value, String(other))
  if (typeof value !== 'object' || value === null) return
  for (const [key, item] of Object.entries(value)) collectTexts(item, (other as WrittenDefinition | undefined)?.[key], found)
}

/** `x-api-key` → `X_API_KEY`. */
export function variableName(setting: string): string {
  return setting.replace(/[^A-Za-z0-9]+/g, '_').toUpperCase() || 'SECRET'
}
