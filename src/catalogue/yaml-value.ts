import { isMap, isScalar, isSeq, type Node, type Pair, type YAMLMap } from 'yaml'
import { isMergePair, type YamlTree } from './yaml-tree.ts'

/** Nodes of a file, those behind each alias counted each time: far more than any real file has. */
const maxNodes = 20_000_000

type Sized = { readonly value: unknown; readonly nodes: number }

/** The value of a document, or what is wrong with its aliases. Parts behind aliases are shared. */
export function yamlValue(tree: YamlTree): { readonly value: unknown } | { readonly fault: string } {
  const done = new Map<Node, Sized | 'in progress'>()

  const entriesOf = (map: YAMLMap): readonly (readonly [string, Sized])[] => {
    const merged = map.items.filter(isMergePair).flatMap(tree.mergeSources).toReversed()
    const own = map.items.filter((pair) => !isMergePair(pair))
    return [
      ...merged.flatMap((source) => (isMap(source) ? entriesOf(source) : [])),
      ...own.map((pair) => [nameOf(pair), convert(pair.value as Node | null)] as const),
    ]
  }
  const convertNew = (node: Node): Sized => {
    if (isScalar(node)) return { value: node.value, nodes: 1 }
    if (isSeq(node)) {
      const items = node.items.map((item) => convert(item as Node))
      return { value: items.map(({ value }) => value), nodes: total(items) }
    }
    const entries = isMap(node) ? entriesOf(node) : []
    const value = Object.fromEntries(entries.map(([name, item]) => [name, item.value]))
    return { value, nodes: total(entries.map(([, item]) => item)) }
  }
  /** Only nodes with an anchor can be met again. */
  const convertAnchored = (node: Node): Sized => {
    const known = done.get(node)
    if (known === 'in progress') throw new AliasFault('an alias is part of what it stands for')
    if (known) return known
    done.set(node, 'in progress')
    const converted = convertNew(node)
    done.set(node, converted)
    return converted
  }
  const convert = (given: Node | null): Sized => {
    const node = tree.resolved(given)
    if (node === null) return { value: null, nodes: 1 }
    const converted = node.anchor ? convertAnchored(node) : convertNew(node)
    if (converted.nodes > maxNodes) throw new AliasFault('there are too many aliases in the file')
    return converted
  }

  try {
    return { value: convert(tree.root).value }
  } catch (error) {
    if (!(error instanceof AliasFault)) throw error
    return { fault: error.message }
  }
}

class AliasFault extends Error {}

const total = (items: readonly Sized[]) => items.reduce((sum, { nodes }) => sum + nodes, 1)

function nameOf({ key }: Pair): string {
  return isScalar(key) ? String(key.value ?? '') : String(key)
}
