/** The items of all lists in order. Many times faster than `flat`, which looks at each item. */
export function joined<Item>(lists: readonly (readonly Item[])[]): readonly Item[] {
  const [only] = lists
  return lists.length === 1 && only ? only : ([] as readonly Item[]).concat(...lists)
}
