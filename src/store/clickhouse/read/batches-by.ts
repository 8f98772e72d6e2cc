/** Batches of at most 1000 items and a total weight of at most `most`, unless a single item weighs more. */
export function batchesBy<Item>(items: readonly Item[], weightOf: (item: Item) => number, most: number): readonly (readonly Item[])[] {
  const batches: Item[][] = []
  let weight = 0
  for (const item of items) {
    const batch = batches.at(-1)
    weight += weightOf(item)
    if (batch && weight <= most && batch.length < 1000) {
      batch.push(item)
    } else {
      batches.push([item])
      weight = weightOf(item)
    }
  }
  return batches
}
