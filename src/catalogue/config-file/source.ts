import { load } from 'js-yaml'
import { once } from '../../cache/once.ts'
import { redactor } from '../../checks/probe/redact.ts'
import type { Env } from '../../config.ts'
import { shortened } from '../../text/shortened.ts'
import { type Substitution, secretTexts } from '../secrets.ts'
import type { Fault, Finding, Path } from './faults.ts'
import { isMapping } from './structure.ts'
import { openYamlDocument } from './yaml-document.ts'

/** A parsed config file: its value, and the line of every part of it. */
export type ParsedFile = {
  readonly value: unknown
  readonly faults: readonly Fault[]
  /** The finding with its line, and with values of variables redacted. */
  locate(finding: Finding): Fault
  /** A fault for each variable of the text at a path that is not set. */
  unset(path: Path): readonly Fault[]
  /** The variables that a part of the file refers to. */
  substitutions(path: Path): readonly Substitution[]
  /** A part of the file before variables are replaced. */
  written(path: Path): unknown
}

/** Parses YAML or JSON and replaces `${NAME}` by the environment variable in every text; `$${NAME}` is an escaped `${NAME}`. */
export function readSource(text: string, env: Env): ParsedFile {
  const document = once(() => openYamlDocument(text))
  const read = quickValue(text) ?? document().read
  if ('faults' in read) return unreadable(read.faults)
  const hasVariables = text.includes('${')
  const { value, missing, substituted } = hasVariables ? interpolate(read.value, env, []) : { value: read.value, ...noVariables }
  const variablesAt = (path: Path) => (hasVariables ? interpolate(partAt(read.value, path), env, path) : noVariables)
  const unsetFault = ({ path, name }: Missing): Fault => ({
    line: document().lineOf({ path, at: 'value' }),
    text: `\${${shortened(name)}} is not set in the environment`,
  })
  const redact = redactor(secretTexts(substituted))
  return {
    value: withoutExtensions(value),
    faults: missing.map(unsetFault),
    unset: (path) => variablesAt(path).missing.map(unsetFault),
    locate: ({ path, at, text: words }) => ({ line: document().lineOf({ path, at }), text: redact(words) }),
    substitutions: (path) => variablesAt(path).substituted,
    written: (path) => partAt(read.value, path),
  }
}

const noVariables: Pick<Interpolated, 'missing' | 'substituted'> = { missing: [], substituted: [] }

const anchorOrMerge = /(^|[\s[{,:])(&\S|<<)/

/**
 * The value of a file without faults and aliases; null for any other. This parser is some times faster than that of `yaml`, which
 * knows the line of every part: only what is wrong needs that.
 */
function quickValue(text: string): { readonly value: unknown } | null {
  if (anchorOrMerge.test(text)) return null
  try {
    return { value: load(text) }
  } catch {
    return null
  }
}

function unreadable(faults: readonly Fault[]): ParsedFile {
  return { value: null, faults, locate: ({ text }) => ({ line: 1, text }), unset: () => [], substitutions: () => [], written: () => null }
}

/** Top-level names that start with `x-` hold parts that other places refer to by alias. */
function withoutExtensions(value: unknown): unknown {
  if (!isMapping(value)) return value
  return Object.fromEntries(Object.entries(value).filter(([name]) => !name.startsWith('x-')))
}

function partAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((part, step) => (part as Record<Path[number], unknown> | null | undefined)?.[step], value)
}

type Missing = { readonly path: Path; readonly name: string }
type Interpolated = { readonly value: unknown; readonly missing: readonly Missing[]; readonly substituted: readonly Substitution[] }

/** Interpolates every text of a part of the file, which is at this path; names of settings stay as they are. */
function interpolate(part: unknown, env: Env, at: Path): Interpolated {
  const missing: Missing[] = []
  const substituted: Substitution[] = []
  /** What several aliases stand for is interpolated once. */
  const done = new Map<object, unknown>()
  const textOf = (template: string, path: Path): string => {
    const setting = path.at(-1)
    const { text, unset, substitutions } = interpolateText(template, env, typeof setting === 'string' ? setting : '')
    for (const name of unset) missing.push({ path, name })
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

/** Interpolates one text; `setting` is the name of its field. */
function interpolateText(template: string, env: Env, setting: string) {
  const unset: string[] = []
  const substitutions: Substitution[] = []
  const text = template.replace(variables, (whole: string, doubled: string, name: string, offset: number) => {
    if (doubled) return whole.slice(1)
    const value = env[name]
    if (value === undefined) unset.push(name)
    else substitutions.push({ name, value, as: positionOf(template, offset, whole.length, setting) })
    return value ?? ''
  })
  return { text, unset, substitutions }
}

const variables = /(\$?)\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g

/** What may stand before and after a variable in the host of a URL, in characters. */
const maxHostLength = 2048

function positionOf(template: string, offset: number, length: number, setting: string): Substitution['as'] {
  const after = template.slice(offset + length, offset + length + maxHostLength)
  const inHost = offset <= maxHostLength && /^https?:\/\/([^/?#]*@)?[^/?#@]*$/.test(template.slice(0, offset)) && !/^[^/?#]*@/.test(after)
  const whole = template.length === length
  if (inHost || (whole && /^(hostname|nameServer)$/.test(setting))) return 'host'
  return whole ? 'whole' : 'part'
}
