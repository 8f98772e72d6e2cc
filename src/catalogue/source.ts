import { type Document, isAlias, isMap, isPair, isScalar, isSeq, LineCounter, type Node, type Pair, parseDocument, visit } from 'yaml'
import { redactor } from '../checks/probe/redact.ts'
import type { Env } from '../config.ts'
import type { Fault, Finding, Path } from './faults.ts'
import { type Substitution, secretTexts } from './secrets.ts'

/** A config file as it stands: its value, and the line of everything in it. */
export type Source = {
  readonly value: unknown
  readonly faults: readonly Fault[]
  /** The finding with its line, and with no value of a variable in its words. */
  locate(finding: Finding): Fault
  /** The variables that a part of the file names. */
  substitutions(path: Path): readonly Substitution[]
}

/** Reads YAML or JSON and puts `${NAME}` from the environment into every text; `$${NAME}` stays as `${NAME}`. */
export function readSource(text: string, env: Env): Source {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const lineAt = (offset: number) => Math.max(1, lines.linePos(offset).line)
  const syntax = document.errors.map((error) => ({ line: lineAt(error.pos[0]), text: syntaxWords(error.code, error.message) }))
  if (syntax.length > 0) return unreadable(syntax)
  const { missing, filled } = fillIn(document, env)
  const faults = missing.map(({ offset, name }) => ({ line: lineAt(offset), text: `\${${name}} is not set in the environment` }))
  const substitutions = (path: Path) => substitutionsIn(document, nodeAt(document, path), filled)
  const hide = redactor(secretTexts([...filled.values()].flat()))
  const locate = (finding: Finding) => ({ line: lineAt(offsetOf(document, finding)), text: hide(finding.text) })
  try {
    return { value: document.toJS({ maxAliasCount: 1000 }), faults, locate, substitutions }
  } catch {
    return unreadable([{ line: 1, text: 'there are too many aliases in the file' }])
  }
}

function unreadable(faults: readonly Fault[]): Source {
  return { value: null, faults, locate: ({ text }) => ({ line: 1, text }), substitutions: () => [] }
}

function syntaxWords(code: string, message: string): string {
  if (code === 'DUPLICATE_KEY') return 'this name stands twice in the same mapping'
  if (code === 'MULTIPLE_DOCS') return 'there must be one document in the file'
  return `this cannot be read: ${message.charAt(0).toLowerCase()}${message.slice(1)}`
}

type Missing = { readonly offset: number; readonly name: string }
type Filled = ReadonlyMap<Node, readonly Substitution[]>

function fillIn(document: Document, env: Env): { readonly missing: readonly Missing[]; readonly filled: Filled } {
  const missing: Missing[] = []
  const filled = new Map<Node, readonly Substitution[]>()
  visit(document, {
    Scalar(key, scalar, ancestors) {
      if (key === 'key' || typeof scalar.value !== 'string') return
      const { text, unset, put } = filledIn(scalar.value, env, nameOf(ancestors.at(-1)))
      scalar.value = text
      missing.push(...unset.map((name) => ({ offset: scalar.range?.[0] ?? 0, name })))
      if (put.length > 0) filled.set(scalar, put)
    },
  })
  return { missing, filled }
}

/** A text with its variables filled in, `setting` being what the file calls it. */
function filledIn(template: string, env: Env, setting: string) {
  const unset: string[] = []
  const put: Substitution[] = []
  const text = template.replace(variables, (whole: string, doubled: string, name: string, offset: number) => {
    if (doubled) return whole.slice(1)
    const value = env[name]
    if (value === undefined) unset.push(name)
    else put.push({ name, value, as: standingAs(template, offset, whole.length, setting) })
    return value ?? ''
  })
  return { text, unset, put }
}

const variables = /(\$?)\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g

function standingAs(template: string, offset: number, length: number, setting: string): Substitution['as'] {
  const inHost = /^https?:\/\/([^/?#]*@)?[^/?#@]*$/.test(template.slice(0, offset)) && !/^[^/?#]*@/.test(template.slice(offset + length))
  const whole = template.length === length
  if (inHost || (whole && /^(hostname|nameServer)$/.test(setting))) return 'host'
  return whole ? 'whole' : 'part'
}

function nameOf(parent: unknown): string {
  return isPair(parent) && isScalar(parent.key) ? String(parent.key.value) : ''
}

function substitutionsIn(document: Document, node: Node | null, filled: Filled): readonly Substitution[] {
  const found: Substitution[] = []
  const collect = (_: unknown, scalar: Node) => {
    found.push(...(filled.get(scalar) ?? []))
  }
  const enter = (part: Node | null) =>
    visit(part, {
      Scalar: collect,
      Alias(_, alias) {
        enter(alias.resolve(document) ?? null)
      },
    })
  enter(node)
  return found
}

function nodeAt(document: Document, path: Path): Node | null {
  return path.reduce<Node | null>(
    (node, step) => resolved(document, child(node, step)?.value ?? null),
    resolved(document, document.contents),
  )
}

/** Where a finding stands in the text: the deepest part of its path that is there. */
function offsetOf(document: Document, { path, at }: Finding): number {
  let node = resolved(document, document.contents)
  let offset = node?.range?.[0] ?? 0
  for (const [depth, step] of path.entries()) {
    const next = child(node, step)
    if (!next) return offset
    node = resolved(document, next.value)
    const byName = (at === 'name' && depth === path.length - 1) || !node?.range
    offset = (byName ? next.name?.range?.[0] : node?.range?.[0]) ?? offset
  }
  return offset
}

type Child = { readonly name: Node | null; readonly value: Node | null }

function child(node: Node | null, step: Path[number]): Child | undefined {
  if (isSeq(node) && typeof step === 'number') {
    const item = node.items[step]
    return item === undefined ? undefined : { name: null, value: item as Node }
  }
  if (!isMap(node)) return undefined
  const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === step) as Pair<Node, Node> | undefined
  return pair && { name: pair.key, value: pair.value }
}

function resolved(document: Document, node: Node | null): Node | null {
  return isAlias(node) ? (node.resolve(document) ?? null) : node
}
