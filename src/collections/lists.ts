/** Groups items by key; keys and items keep their order of appearance. */
export function grouped<Item, Key>(items: Iterable<Item>, keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>()
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group) group.push(item)
    else groups.set(key, [item])
  }
  return groups
}

/** The items of all lists in order. Many times faster than `flat`, which looks at each item. */
export function joined<Item>(lists: readonly (readonly Item[])[]): readonly Item[] {
  const [only] = lists
  return lists.length === 1 && only ? only : ([] as readonly Item[]).concat(...lists)
}

/** Whether the items that both lists have are in another order. */
export function isReordered<Item>(before: readonly Item[], after: readonly Item[]): boolean {
  const [earlier, later] = [new Set(before), new Set(after)]
  const kept = after.filter((item) => earlier.has(item))
  return before.filter((item) => later.has(item)).some((item, index) => item !== kept[index])
}
