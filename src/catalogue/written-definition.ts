import { isDeepStrictEqual } from 'node:util'
import { stringify } from 'yaml'
import type { CheckType } from '../checks/define.ts'
import { exactRedactor } from '../checks/probe/redact.ts'
import { sha256 } from '../ids/sha256.ts'
import type { Check } from './catalogue.ts'
import { isNamedSecret } from './secrets.ts'

/** A definition as written, before variables are replaced. */
export type WrittenDefinition = Readonly<Record<string, unknown>>

/** Variables of a group, or of one check; those in `secret` are encrypted. */
export type VariableSet = {
  readonly environment?: Readonly<Record<string, string>>
  readonly locked?: readonly string[]
  readonly secret?: readonly string[]
}

type Written = Pick<Check, 'checkType' | 'settings' | 'secrets' | 'written'>

/** The definition of a check, with variables instead of literal secrets. */
export function shownDefinition(check: Written): WrittenDefinition {
  return hideWritten(check.written, hiddenTexts(check))
}

/** Hides these texts in a definition, and the values of its own locked or secret variables. */
export function hideWritten(written: WrittenDefinition, hidden: readonly string[]): WrittenDefinition {
  const variables = variablesOf(written)
  const shown = hideTexts(written, hidden)
  return variables ? { ...shown, variables: shownVariables(variables) } : shown
}

/** The own variables of a managed check. */
export function variablesOf({ variables }: WrittenDefinition): VariableSet | undefined {
  return typeof variables === 'object' && variables !== null ? (variables as VariableSet) : undefined
}

/** Shows each locked or secret variable as a reference to itself. */
export function shownVariables<T extends VariableSet>(set: T): T {
  const { environment, locked = [], secret = [] } = set
  if (!environment) return set
  const hidden = new Set([...locked, ...secret])
  const texts = Object.entries(environment).map(([key, text]) => [key, hidden.has(key) ? hiddenVariable(key) : text])
  return { ...set, environment: Object.fromEntries(texts) }
}

/** Shown instead of the value of a variable. */
export const hiddenVariable = (key: string) => `\${${key}}`

/** Whether responses hide any text of the definition. */
export function hidesTexts(check: Written): boolean {
  return !isDeepStrictEqual(shownDefinition(check), check.written)
}

/** The texts that responses must not show. */
export function hiddenTexts({ checkType, settings, secrets }: Written): readonly string[] {
  const token = tokenOf({ checkType, settings })
  return [...secrets, ...(checkType.secrets?.(settings) ?? []), ...(token === null ? [] : [token])]
}

/** Literal secrets of a definition that may have faults. */
export function declaredSecrets(definition: WrittenDefinition, checkType: CheckType | undefined): readonly string[] {
  try {
    return checkType?.secrets?.(definition) ?? []
  } catch {
    // Secrets cannot be located in a definition that its type cannot read.
    return []
  }
}

/** Makes the replacement of a hidden text. `field` contains the text; `variable` is set if the text is the default of that variable. */
export type HiddenReference = (hidden: { readonly text: string; readonly field: string; readonly variable?: string }) => string

/** Replaces these texts, and credentials in URLs, by variables that are named after their fields. */
export function hideTexts(
  written: WrittenDefinition,
  hidden: readonly string[],
  reference: HiddenReference = namedAsField,
): WrittenDefinition {
  const isHidden = exactRedactor(hidden)
  const whole = new Set(hidden)
  const shown = (text: string, field: string) => {
    if (whole.has(text)) return reference({ text, field })
    // Replacements are masked, because they must not be redacted again.
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

/** The variable for the token of a ping check, such as `${PING_TOKEN}`; null for any other check. */
export function tokenName(check: Written): string | null {
  const token = tokenOf(check)
  if (token === null) return null
  const found: string[] = []
  collectTexts(check.settings, shownDefinition(check), (value, shown) => value === token && found.push(shown))
  return found[0] ?? null
}

/** Encloses the index of a replacement. */
const mask = '\uE000'
const places = /\uE000([0-9]+)\uE000/g

/** A variable with a default. */
const defaults = /\$\{([A-Za-z_][A-Za-z0-9_]*):-([^{}]*)\}/g

/** User and password of a URL, unless they are variables. */
const credentials = /^(https?:\/\/)(?!\$\{)([^/?#@]*)@/

function tokenOf({ checkType, settings }: Pick<Check, 'checkType' | 'settings'>): string | null {
  const hash = checkType.pingSettings?.(settings).tokenHash
  const found: string[] = []
  if (hash !== undefined) collectTexts(settings, settings, (text) => (text === hash || sha256(text) === hash) && found.push(text))
  return found[0] ?? null
}

/** Maps each text in a value; `name` is the field that contains it. */
export function mapTexts(value: unknown, name: string, change: (text: string, name: string) => string): unknown {
  if (typeof value === 'string') return change(value, name)
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, name, change))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapTexts(item, key, change)]))
}

/** Visits each text of a value, with the text at the same place in `other`. */
function collectTexts(value: unknown, other: unknown, found: (text: string, other: string) => void): void {
  if (typeof value === 'string') found(value, String(other))
  if (typeof value !== 'object' || value === null) return
  for (const [key, item] of Object.entries(value)) collectTexts(item, (other as WrittenDefinition | undefined)?.[key], found)
}

/** `x-api-key` → `X_API_KEY`. */
export function variableName(setting: string): string {
  return setting.replace(/[^A-Za-z0-9]+/g, '_').toUpperCase() || 'SECRET'
}
