import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, type Pair, parseDocument, visit } from 'yaml'
import type { Env } from '../config.ts'
import type { Fault, Finding, Path } from './faults.ts'

/** A config file as it stands: its value, and the line of everything in it. */
export type Source = { readonly value: unknown; readonly faults: readonly Fault[]; locate(finding: Finding): Fault }

/** Reads YAML or JSON and puts `${NAME}` from the environment into every text; `$${NAME}` stays as `${NAME}`. */
export function readSource(text: string, env: Env): Source {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const lineAt = (offset: number) => Math.max(1, lines.linePos(offset).line)
  const syntax = document.errors.map((error) => ({ line: lineAt(error.pos[0]), text: syntaxWords(error.code, error.message) }))
  if (syntax.length > 0) return { value: null, faults: syntax, locate: ({ text: words }) => ({ line: 1, text: words }) }
  const missing = fillIn(document, env).map(({ offset, name }) => ({
    line: lineAt(offset),
    text: `\${${name}} is not set in the environment`,
  }))
  const locate = (finding: Finding) => ({ line: lineAt(offsetOf(document, finding)), text: finding.text })
  try {
    return { value: document.toJS({ maxAliasCount: 1000 }), faults: missing, locate }
  } catch {
    return { value: null, faults: [{ line: 1, text: 'there are too many aliases in the file' }], locate }
  }
}

function syntaxWords(code: string, message: string): string {
  if (code === 'DUPLICATE_KEY') return 'this name stands twice in the same mapping'
  if (code === 'MULTIPLE_DOCS') return 'there must be one document in the file'
  return `this cannot be read: ${message.charAt(0).toLowerCase()}${message.slice(1)}`
}

type Missing = { readonly offset: number; readonly name: string }

function fillIn(document: Document, env: Env): readonly Missing[] {
  const missing: Missing[] = []
  visit(document, {
    Scalar(key, scalar) {
      if (key === 'key' || typeof scalar.value !== 'string') return
      scalar.value = scalar.value.replace(/(\$?)\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_, doubled: string, name: string) => {
        if (doubled) return `\${${name}}`
        const found = env[name]
        if (found === undefined) missing.push({ offset: scalar.range?.[0] ?? 0, name })
        return found ?? ''
      })
    },
  })
  return missing
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
