import { type Alias, type Document, isAlias, isMap, isScalar, isSeq, type Node, type Pair, visit, type YAMLMap } from 'yaml'
import type { Path } from './faults.ts'

/** Finds nodes of a document by path, through aliases and merge keys. */
export type YamlTree = {
  readonly root: Node | null
  /** The node that an alias stands for, or the node itself. */
  resolved(node: Node | null): Node | null
  child(node: Node | null, step: Path[number]): Child | undefined
  /** The mappings that a merge key takes over; other nodes where its value is not valid. */
  mergeSources(pair: Pair): readonly (Node | null)[]
}

export type Child = { readonly name: Node | null; readonly value: Node | null }

/** `hasAnchors` may be true for a document without any, which is then only searched in vain. */
export function yamlTree(document: Document, hasAnchors: boolean): YamlTree {
  const targets = hasAnchors ? aliasTargets(document) : new Map<Alias, Node>()
  const resolved = (node: Node | null) => (isAlias(node) ? (targets.get(node) ?? null) : node)
  const mergeSources = ({ value }: Pair): readonly (Node | null)[] => {
    const source = resolved(value as Node | null)
    return isSeq(source) ? source.items.map((item) => resolved(item as Node)) : [source]
  }
  /** What a mapping takes over from others by merge keys. */
  const mergedChild = ({ items }: YAMLMap, step: Path[number]): Child | undefined => {
    for (const source of items.filter(isMergePair).flatMap(mergeSources)) {
      const found = child(source, step)
      if (found) return found
    }
    return undefined
  }
  const child = (node: Node | null, step: Path[number]): Child | undefined => {
    if (isSeq(node) && typeof step === 'number') {
      const item = node.items[step]
      return item === undefined ? undefined : { name: null, value: item as Node }
    }
    if (!isMap(node)) return undefined
    const pair = node.items.find((item) => isNamed(item, step)) as Pair<Node, Node> | undefined
    return pair ? { name: pair.key, value: pair.value } : mergedChild(node, step)
  }
  return { root: resolved(document.contents), resolved, child, mergeSources }
}

export function isMergePair({ key }: Pair): boolean {
  return isScalar(key) && typeof key.value === 'symbol'
}

/** An alias stands for the last node before it that has its anchor. Its own `resolve` searches the whole document each time. */
function aliasTargets(document: Document): ReadonlyMap<Alias, Node> {
  const anchors = new Map<string, Node>()
  const targets = new Map<Alias, Node>()
  visit(document, {
    Node(_, node) {
      if (!isAlias(node)) {
        if (node.anchor) anchors.set(node.anchor, node)
        return
      }
      const target = anchors.get(node.source)
      if (target) targets.set(node, target)
    },
  })
  return targets
}

function isNamed({ key }: Pair, step: Path[number]): boolean {
  return isScalar(key) && typeof key.value !== 'symbol' && String(key.value) === step
}
