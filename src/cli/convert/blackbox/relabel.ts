import type { Mapping } from '../../../collections/mapping.ts'
import { plainText } from '../fields.ts'

type ProbeLabels = { readonly __address__: string; readonly __param_target: string | null }

/** The target that Prometheus probes after the relabelling rules of a job; the address if no rule sets it. */
export function probedTarget(rules: readonly Mapping[], { __address__, __param_target }: ProbeLabels): string {
  const labels = new Map([['__address__', __address__]])
  if (__param_target !== null) labels.set('__param_target', __param_target)
  for (const rule of rules) {
    const [label, value] = assigned(rule, labels) ?? []
    if (label !== undefined && value !== undefined) labels.set(label, value)
  }
  return labels.get('__param_target') || __address__
}

const anyLabels: ReadonlyMap<string, string> = new Map(['__address__', '__param_target'].map((label) => [label, '']))

/** Whether `probedTarget` follows a rule, or the rule only names the target. */
export function isFollowed(rule: Mapping): boolean {
  const isName = sourceLabels(rule) === '__param_target' && rule.target_label === 'instance'
  return isName || assigned(rule, anyLabels) !== null
}

/** The label that a rule sets, and its value. Null for a rule that does more than write a text around a whole label. */
function assigned(rule: Mapping, labels: ReadonlyMap<string, string>): readonly [label: string, value: string] | null {
  const { target_label: label, replacement = '$1', action = 'replace' } = rule
  const [text, source, regex] = [plainText(replacement), sourceLabels(rule), plainText(rule.regex)]
  const value = source === '' ? '' : labels.get(source)
  const isKnown = (label === '__address__' || label === '__param_target') && action === 'replace' && value !== undefined
  const rest = wholeText.has(regex) ? text.replaceAll(firstGroup, '') : text
  if (!isKnown || !(wholeText.has(regex) || anyText.has(regex)) || rest.includes('$')) return null
  return [label, text.replaceAll(firstGroup, () => value)]
}

/** Expressions whose first group is the whole text. */
const wholeText: ReadonlySet<string> = new Set(['', '(.*)', '(.+)', '^(.*)$', '^(.+)$', '(.*)(:80)?'])
/** Expressions that match any text, without a group. */
const anyText: ReadonlySet<string> = new Set(['.*', '.+', '^.*$', '^.+$'])
const firstGroup = /\$(?:1(?!\w)|\{1\})/g

export const sourceLabels = ({ source_labels }: Mapping): string =>
  Array.isArray(source_labels) ? source_labels.map(plainText).join() : ''
