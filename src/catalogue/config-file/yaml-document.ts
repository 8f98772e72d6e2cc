import { type Document, LineCounter, type Node, parseDocument, visit } from 'yaml'
import type { Fault, Finding } from './faults.ts'
import { nestingFault, tooDeepAt } from './yaml-nesting.ts'
import { ExpansionFault, isMergePair, type YamlTree, yamlTree } from './yaml-tree.ts'
import { yamlValue } from './yaml-value.ts'

/** A file with the line of each of its parts. */
type YamlDocument = {
  readonly read: { readonly value: unknown } | { readonly faults: readonly Fault[] }
  /** The line of the deepest existing part of the path. */
  lineOf(place: Pick<Finding, 'path' | 'at'>): number
}

export function openYamlDocument(text: string): YamlDocument {
  const deepLine = tooDeepAt(text)
  if (deepLine !== null) return { read: { faults: [{ line: deepLine, text: nestingFault }] }, lineOf: () => deepLine }
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, merge: true })
  const lineAt = (offset: number) => Math.max(1, lines.linePos(offset).line)
  const tree = yamlTree(document, text.includes('&'))
  const syntax = [
    ...document.errors.map(({ pos, code, message }) => ({ offset: pos[0], text: syntaxMessage(code, message) })),
    ...(text.includes('<<') ? mergeFaults(document, tree) : []),
  ]
  const faults = syntax.map(({ offset, text: words }) => ({ line: lineAt(offset), text: words }))
  return {
    read: faults.length > 0 ? { faults } : readTree(tree, lineAt),
    lineOf: (place) => lineAt(offsetOf(tree, place)),
  }
}

function readTree(tree: YamlTree, lineAt: (offset: number) => number): YamlDocument['read'] {
  try {
    return { value: yamlValue(tree) }
  } catch (error) {
    if (!(error instanceof ExpansionFault)) throw error
    return { faults: [{ line: lineAt(error.offset), text: error.message }] }
  }
}

function syntaxMessage(code: string, message: string): string {
  if (code === 'DUPLICATE_KEY') return 'this key appears twice in the same mapping'
  if (code === 'MULTIPLE_DOCS') return 'the file must contain exactly one document'
  return `invalid YAML: ${message.charAt(0).toLowerCase()}${message.slice(1)}`
}

/** Merge keys whose value is not a mapping. */
function mergeFaults(document: Document, tree: YamlTree): readonly { readonly offset: number; readonly text: string }[] {
  const offsets: number[] = []
  visit(document, {
    Pair(_, pair) {
      if (isMergePair(pair) && !tree.isValidMerge(pair)) offsets.push((pair.key as Node).range?.[0] ?? 0)
    },
  })
  return offsets.map((offset) => ({ offset, text: '<< takes a mapping, or a list of them, such as *defaults' }))
}

/** The offset of the deepest existing part of the path of a finding. */
function offsetOf({ root, resolved, child }: YamlTree, { path, at }: Pick<Finding, 'path' | 'at'>): number {
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
