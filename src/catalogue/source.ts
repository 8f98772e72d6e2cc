import { type Document, isMap, isPair, isScalar, LineCounter, type Node, parseDocument, visit } from 'yaml'
import { redactor } from '../checks/probe/redact.ts'
import type { Env } from '../config.ts'
import type { Fault, Finding, Path } from './faults.ts'
import { type Substitution, secretTexts } from './secrets.ts'
import { isMapping } from './structure.ts'
import { isMergePair, type YamlTree, yamlTree } from './yaml-tree.ts'
import { yamlValue } from './yaml-value.ts'

/** A parsed config file: its value, and the line of every part of it. */
export type Source = {
  readonly value: unknown
  readonly faults: readonly Fault[]
  /** The finding with its line, and with values of variables redacted. */
  locate(finding: Finding): Fault
  /** A fault for each variable of the text at a path that is not set. */
  unset(path: Path): readonly Fault[]
  /** The variables that a part of the file refers to. */
  substitutions(path: Path): readonly Substitution[]
}

/** Parses YAML or JSON and replaces `${NAME}` by the environment variable in every text; `$${NAME}` is an escaped `${NAME}`. */
export function readSource(text: string, env: Env): Source {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, merge: true })
  const lineAt = (offset: number) => Math.max(1, lines.linePos(offset).line)
  const tree = yamlTree(document, text.includes('&'))
  const syntax = [
    ...document.errors.map(({ pos, code, message }) => ({ offset: pos[0], text: syntaxMessage(code, message) })),
    ...(text.includes('<<') ? mergeFaults(document, tree) : []),
  ]
  if (syntax.length > 0) return unreadable(syntax.map(({ offset, text: words }) => ({ line: lineAt(offset), text: words })))
  const { missing, substituted } = text.includes('${') ? interpolate(document, env) : nothingToInterpolate
  const read = yamlValue(tree)
  if ('fault' in read) return unreadable([{ line: 1, text: read.fault }])
  const unsetFault = ({ scalar, name }: Missing) => ({
    line: lineAt(scalar.range?.[0] ?? 0),
    text: `\${${name}} is not set in the environment`,
  })
  const redact = redactor(secretTexts([...substituted.values()].flat()))
  return {
    value: withoutExtensions(read.value),
    faults: missing.map(unsetFault),
    unset: (path) => {
      const node = nodeAt(tree, path)
      return missing.filter(({ scalar }) => scalar === node).map(unsetFault)
    },
    locate: (finding) => ({ line: lineAt(offsetOf(tree, finding)), text: redact(finding.text) }),
    substitutions: (path) => (substituted.size === 0 ? [] : substitutionsIn(tree, nodeAt(tree, path), substituted)),
  }
}

function unreadable(faults: readonly Fault[]): Source {
  return { value: null, faults, locate: ({ text }) => ({ line: 1, text }), unset: () => [], substitutions: () => [] }
}

function syntaxMessage(code: string, message: string): string {
  if (code === 'DUPLICATE_KEY') return 'this name appears twice in the same mapping'
  if (code === 'MULTIPLE_DOCS') return 'there must be one document in the file'
  return `this cannot be read: ${message.charAt(0).toLowerCase()}${message.slice(1)}`
}

/** Merge keys whose value is not a mapping. */
function mergeFaults(document: Document, tree: YamlTree): readonly { readonly offset: number; readonly text: string }[] {
  const offsets: number[] = []
  visit(document, {
    Pair(_, pair) {
      if (isMergePair(pair) && !tree.mergeSources(pair).every(isMap)) offsets.push((pair.key as Node).range?.[0] ?? 0)
    },
  })
  return offsets.map((offset) => ({ offset, text: '<< takes a mapping, or a list of them, such as *defaults' }))
}

/** Top-level names that start with `x-` hold parts that other places refer to by alias. */
function withoutExtensions(value: unknown): unknown {
  if (!isMapping(value)) return value
  return Object.fromEntries(Object.entries(value).filter(([name]) => !name.startsWith('x-')))
}

type Missing = { readonly scalar: Node; readonly name: string }
type Substituted = ReadonlyMap<Node, readonly Substitution[]>

const nothingToInterpolate = { missing: [], substituted: new Map() } as const

function interpolate(document: Document, env: Env): { readonly missing: readonly Missing[]; readonly substituted: Substituted } {
  const missing: Missing[] = []
  const substituted = new Map<Node, readonly Substitution[]>()
  visit(document, {
    Scalar(key, scalar, ancestors) {
      if (key === 'key' || typeof scalar.value !== 'string') return
      const { text, unset, substitutions } = interpolateText(scalar.value, env, nameOf(ancestors.at(-1)))
      scalar.value = text
      missing.push(...unset.map((name) => ({ scalar, name })))
      if (substitutions.length > 0) substituted.set(scalar, substitutions)
    },
  })
  return { missing, substituted }
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

function positionOf(template: string, offset: number, length: number, setting: string): Substitution['as'] {
  const inHost = /^https?:\/\/([^/?#]*@)?[^/?#@]*$/.test(template.slice(0, offset)) && !/^[^/?#]*@/.test(template.slice(offset + length))
  const whole = template.length === length
  if (inHost || (whole && /^(hostname|nameServer)$/.test(setting))) return 'host'
  return whole ? 'whole' : 'part'
}

function nameOf(parent: unknown): string {
  return isPair(parent) && isScalar(parent.key) ? String(parent.key.value) : ''
}

function substitutionsIn(tree: YamlTree, node: Node | null, substituted: Substituted): readonly Substitution[] {
  const found: Substitution[] = []
  const collect = (_: unknown, scalar: Node) => {
    found.push(...(substituted.get(scalar) ?? []))
  }
  const enter = (part: Node | null) =>
    visit(part, {
      Scalar: collect,
      Alias(_, alias) {
        enter(tree.resolved(alias))
      },
    })
  enter(node)
  return found
}

function nodeAt({ root, resolved, child }: YamlTree, path: Path): Node | null {
  return path.reduce<Node | null>((node, step) => resolved(child(node, step)?.value ?? null), root)
}

/** The offset of a finding in the text: that of the deepest part of its path that exists. */
function offsetOf({ root, resolved, child }: YamlTree, { path, at }: Finding): number {
  let node = root
  let offset = node?.range?.[0] ?? 0
  for (const [depth, step] of path.entries()) {
    const next = child(node, step)
    if (!next) return offset
    node = resolved(next.value)
    const byName = (at === 'name' && depth === path.length - 1) || !node?.range
    offset = (byName ? next.name?.range?.[0] : node?.range?.[0]) ?? offset
  }
  return offset
}
