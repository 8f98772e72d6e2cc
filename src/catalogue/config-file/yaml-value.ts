import { isMap, isScalar, isSeq, type Node } from 'yaml'
import { maxLevels, nestingFault } from './yaml-nesting.ts'
import { ExpansionFault, type YamlTree } from './yaml-tree.ts'

/** Limits the nodes of a file, including those behind each alias. Real files have far fewer. */
const maxNodes = 5_000_000

/** A value with its numbers of nodes and levels, including those behind aliases. */
type Sized = { readonly value: unknown; readonly nodes: number; readonly levels: number }

/** The value of a document. Throws `ExpansionFault` if aliases expand too far or contain themselves. Parts behind aliases are shared. */
export function yamlValue(tree: YamlTree): unknown {
  const done = new Map<Node, Sized | 'in progress'>()

  const convertNew = (node: Node): Sized => {
    if (isScalar(node)) return { value: node.value, nodes: 1, levels: 0 }
    if (isSeq(node)) {
      const items = node.items.map((item) => convert(item as Node))
      return sized(
        items.map(({ value }) => value),
        items,
      )
    }
    const children = isMap(node) ? [...tree.children(node)] : []
    const entries = children.map(([name, { value }]) => [name, convert(value)] as const)
    return sized(
      Object.fromEntries(entries.map(([name, item]) => [name, item.value])),
      entries.map(([, item]) => item),
    )
  }
  /** Nodes are visited again behind aliases, and in mappings that merge them. */
  const convertOnce = (node: Node, given: Node | null): Sized => {
    const known = done.get(node)
    if (known === 'in progress') throw new ExpansionFault('an alias refers to itself', given)
    if (known) return known
    done.set(node, 'in progress')
    const converted = convertNew(node)
    done.set(node, converted)
    return converted
  }
  const convert = (given: Node | null): Sized => {
    const node = tree.resolved(given)
    if (node === null) return { value: null, nodes: 1, levels: 0 }
    const converted = isScalar(node) ? convertNew(node) : convertOnce(node, given)
    if (converted.nodes > maxNodes) throw new ExpansionFault('there are too many aliases in the file', given)
    if (converted.levels > maxLevels) throw new ExpansionFault(nestingFault, given)
    return converted
  }
  return convert(tree.root).value
}

function sized(value: unknown, parts: readonly Sized[]): Sized {
  let [nodes, levels] = [1, 0]
  for (const part of parts) {
    nodes += part.nodes
    levels = Math.max(levels, part.levels)
  }
  return { value, nodes, levels: levels + 1 }
}
