import { load } from 'js-yaml'
import { once } from '../../cache/cache.ts'
import { isMapping } from '../../collections/mapping.ts'
import type { Fault, Finding } from './faults.ts'
import { openYamlDocument } from './yaml-document.ts'

/** The value of a file in YAML or JSON. Lines are located lazily. */
export type YamlSource = {
  readonly read: { readonly value: unknown } | { readonly faults: readonly Fault[] }
  lineOf(place: Pick<Finding, 'path' | 'at'>): number
  /** Whether a text in it may refer to a variable. */
  readonly hasVariables: boolean
}

export function openYamlSource(text: string): YamlSource {
  const document = once(() => openYamlDocument(text))
  return { read: quickValue(text) ?? document().read, lineOf: (place) => document().lineOf(place), hasVariables: text.includes('${') }
}

/** Top-level names that start with `x-` hold parts that other places refer to by alias. */
export function withoutExtensions(value: unknown): unknown {
  if (!isMapping(value)) return value
  return Object.fromEntries(Object.entries(value).filter(([name]) => !name.startsWith('x-')))
}

const anchorOrMerge = /(^|[\s[{,:])(&\S|<<)/

/**
 * The value of a file without faults and aliases; null for any other. This parser is several times faster than `yaml`, which also knows
 * lines: only faults need them.
 */
function quickValue(text: string): { readonly value: unknown } | null {
  if (anchorOrMerge.test(text)) return null
  try {
    return { value: load(text) }
  } catch {
    return null
  }
}
