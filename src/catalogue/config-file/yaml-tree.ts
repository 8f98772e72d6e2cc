import { type Alias, type Document, isAlias, isMap, isScalar, isSeq, type Node, type Pair, visit, type YAMLMap } from 'yaml'
import type { Path } from './faults.ts'

/** Finds nodes of a document by path, through aliases and merge keys. */
export type YamlTree = {
  readonly root: Node | null
  /** The target of an alias, or the node itself. */
  resolved(node: Node | null): Node | null
  child(node: Node | null, step: Path[number]): Child | undefined
  /** The children of a mapping by name, including merged ones. */
  children(map: YAMLMap): Children
  /** Whether a merge key names mappings only. */
  isValidMerge(pair: Pair): boolean
}

type Child = { readonly name: Node | null; readonly value: Node | null }
type Children = ReadonlyMap<string, Child>

/** Thrown if aliases or merge keys expand too far, or contain themselves. `offset` is the position in the file. */
export class ExpansionFault extends Error {
  readonly offset: number
  constructor(message: string, node: Node | null) {
    super(message)
    this.offset = node?.range?.[0] ?? 0
  }
}

/** Limits the names from merge keys in a file. Real files have far fewer. */
const maxMergedNames = 500_000

/** `hasAnchors` may be true for a document without anchors, which only costs time. */
export function yamlTree(document: Document, hasAnchors: boolean): YamlTree {
  const targets = hasAnchors ? aliasTargets(document) : new Map<Alias, Node>()
  const resolved = (node: Node | null) => (isAlias(node) ? (targets.get(node) ?? null) : node)
  const expand = createMerge(resolved)
  const validity = new Map<Node | null, boolean>()
  const child = (node: Node | null, step: Path[number]): Child | undefined => {
    if (isSeq(node) && typeof step === 'number') {
      const item = node.items[step]
      return item === undefined ? undefined : { name: null, value: item as Node }
    }
    return isMap(node) ? expand(node).get(String(step)) : undefined
  }
  return {
    root: resolved(document.contents),
    resolved,
    child,
    children: expand,
    isValidMerge({ value }) {
      const source = resolved(value as Node | null)
      const known = validity.get(source) ?? (isSeq(source) ? source.items.every((item) => isMap(resolved(item as Node))) : isMap(source))
      validity.set(source, known)
      return known
    },
  }
}

export function isMergePair({ key }: Pair): boolean {
  return isScalar(key) && typeof key.value === 'symbol'
}

/**
 * The children of mappings, each computed once. Merged names are counted, because a small file can merge the same mapping any number of
 * times.
 */
function createMerge(resolved: (node: Node | null) => Node | null): (map: YAMLMap) => Children {
  const done = new Map<YAMLMap, Children | 'in progress'>()
  let mergedNames = 0

  const count = (names: number, map: YAMLMap) => {
    mergedNames += names
    if (mergedNames > maxMergedNames)
      throw new ExpansionFault(`merge keys (<<) merge more than ${maxMergedNames.toLocaleString('en-US')} keys in this file`, map)
  }
  /** In the order of application: a mapping overrides those that are listed after it. */
  const sourcesOf = ({ value }: Pair): readonly (Node | null)[] => {
    const source = resolved(value as Node | null)
    return isSeq(source) ? source.items.map((item) => resolved(item as Node)).reverse() : [source]
  }
  const mergeInto = (children: Map<string, Child>, map: YAMLMap) => {
    for (const pair of map.items.filter(isMergePair).reverse()) {
      const value = resolved(pair.value as Node | null)
      count(isSeq(value) ? value.items.length : 1, map)
      for (const source of sourcesOf(pair)) {
        const merged: Children = isMap(source) ? childrenOf(source) : new Map()
        count(merged.size, map)
        for (const [name, child] of merged) children.set(name, child)
      }
    }
  }
  const childrenOf = (map: YAMLMap): Children => {
    const known = done.get(map)
    if (known === 'in progress') throw new ExpansionFault('a merge key (<<) refers to itself', map)
    if (known) return known
    done.set(map, 'in progress')
    const children = new Map<string, Child>()
    mergeInto(children, map)
    for (const pair of map.items as Pair<Node, Node>[])
      if (!isMergePair(pair)) children.set(nameOf(pair), { name: pair.key, value: pair.value })
    done.set(map, children)
    return children
  }
  return childrenOf
}

/** An alias refers to the last node before it with its anchor. `Alias.resolve` searches the whole document each time. */
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

function nameOf({ key }: Pair): string {
  return isScalar(key) ? String(key.value ?? '') : String(key)
}
