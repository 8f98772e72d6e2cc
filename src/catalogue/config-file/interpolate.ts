import type { Env } from '../../config.ts'
import { shortened } from '../../text/shortened.ts'
import { variableReferences } from '../../text/variable-references.ts'
import { isNamedSecret, type Substitution } from '../secrets.ts'
import { FileFault } from './config-folder.ts'
import type { Path } from './faults.ts'

/** Values for `${…}` in texts of the file. */
export type Variables = {
  readonly env: Env
  /** The text of a file; throws `FileFault`. */
  readonly fileText: (path: string) => string
  /** The fault of an unset variable; by default, that it is not set in the environment. */
  readonly unset?: (name: string) => string
  /** Names of variables that are secret, regardless of their values. */
  readonly secretNames?: ReadonlySet<string>
  /** Limits the characters that variables add to one part of the file. */
  readonly maxCharacters?: number
}

type Missing = { readonly path: Path; readonly text: string }
type Interpolated = { readonly value: unknown; readonly missing: readonly Missing[]; readonly substituted: readonly Substitution[] }

export const noVariables: Pick<Interpolated, 'missing' | 'substituted'> = { missing: [], substituted: [] }

/** Interpolates all texts of the part of a file at this path. Names of settings stay unchanged. */
export function interpolate(part: unknown, variables: Variables, at: Path): Interpolated {
  const missing: Missing[] = []
  const substituted: Substitution[] = []
  const budget = budgetOf(variables)
  /** Values shared by aliases are interpolated once. */
  const done = new Map<object, unknown>()
  const textOf = (template: string, path: Path): string => {
    const setting = path.at(-1)
    const { text, faults, substitutions } = interpolateText(template, variables, {
      setting: typeof setting === 'string' ? setting : '',
      budget,
    })
    for (const fault of faults) missing.push({ path, text: fault })
    for (const one of substitutions) substituted.push(one)
    return text
  }
  const partsOf = (value: object, path: Path): unknown =>
    Array.isArray(value)
      ? value.map((item, i) => convert(item, [...path, i]))
      : Object.fromEntries(Object.entries(value).map(([name, item]) => [name, convert(item, [...path, name])]))
  const convert = (value: unknown, path: Path): unknown => {
    if (typeof value === 'string') return value.includes('${') ? textOf(value, path) : value
    if (typeof value !== 'object' || value === null) return value
    if (!done.has(value)) done.set(value, partsOf(value, path))
    return done.get(value)
  }
  return { value: convert(part, at), missing, substituted }
}

/** A short text can repeat a long value any number of times. */
const usualMaxCharacters = 64 * 1024 * 1024

/** Characters that values may still add to texts. */
type Budget = { left: number; readonly total: number }

function budgetOf({ maxCharacters: total = usualMaxCharacters }: Variables): Budget {
  return { left: total, total }
}

type TextOptions = {
  /** The name of its field. */
  readonly setting?: string
  readonly budget?: Budget
}

export function interpolateText(template: string, variables: Variables, { setting = '', budget = budgetOf(variables) }: TextOptions = {}) {
  const faults: string[] = []
  const substitutions: Substitution[] = []
  const text = template.replace(variableReferences, (whole: string, doubled: string, ...groups) => {
    if (doubled) return whole.slice(1)
    const [name, otherwise, file, offset] = groups as [string | undefined, string | undefined, string | undefined, number]
    if (budget.left < 0) return ''
    const found = withinBudget(file === undefined ? variableText(variables, name ?? '', otherwise) : fileText(variables, file), budget)
    if ('fault' in found) faults.push(found.fault)
    else if (!found.isDefault || isNamedSecret(found))
      substitutions.push({
        name: found.name,
        value: found.value,
        as: positionOf(template, offset, whole.length, setting),
        ...(file === undefined && variables.secretNames?.has(found.name) && { isSecret: true }),
      })
    return 'fault' in found ? '' : found.value
  })
  return { text, faults, substitutions }
}

/** A default is written in the file, so it is only secret if the name of the variable marks it as secret. */
type Found = (Pick<Substitution, 'name' | 'value'> & { readonly isDefault: boolean }) | { readonly fault: string }

/** As in a shell, a default also replaces an empty value. */
function variableText({ env, unset = notSet }: Variables, name: string, otherwise: string | undefined): Found {
  const given = Object.hasOwn(env, name) ? env[name] : undefined
  const isDefault = otherwise !== undefined && !given
  const value = isDefault ? otherwise : given
  return value === undefined ? { fault: unset(name) } : { name, value, isDefault }
}

/** Counts before the text is built. Only the first excess is reported. */
function withinBudget(found: Found, budget: Budget): Found {
  if ('fault' in found) return found
  budget.left -= found.value.length
  return budget.left < 0 ? { fault: `values of variables add more than ${budget.total} characters to this` } : found
}

const notSet = (name: string) => `\${${shortened(name)}} is not set in the environment`

function fileText(variables: Variables, file: string): Found {
  try {
    return { name: `${fromFile}${file}`, value: variables.fileText(file), isDefault: false }
  } catch (error) {
    if (!(error instanceof FileFault)) throw error
    return { fault: `\${file:${shortened(file)}}: ${error.message}` }
  }
}

/** The prefix of names of substitutions from files. */
const fromFile = 'file:'

/** Characters examined before and after a variable, to find whether it is in the host of a URL. */
const maxHostLength = 2048

function positionOf(template: string, offset: number, length: number, setting: string): Substitution['as'] {
  const after = template.slice(offset + length, offset + length + maxHostLength)
  const inHost = offset <= maxHostLength && /^https?:\/\/([^/?#]*@)?[^/?#@]*$/.test(template.slice(0, offset)) && !/^[^/?#]*@/.test(after)
  const whole = template.length === length
  if (inHost || (whole && /^(hostname|nameServer)$/.test(setting))) return 'host'
  return whole ? 'whole' : 'part'
}
