export type Sampling = { readonly size: number; readonly seed: number; readonly leastOfGroup?: number }

/** Picks a sample with a minimum per group, otherwise proportional to its size; deterministic for a seed. */
export function sample<Item>(
  items: readonly Item[],
  groupOf: (item: Item) => string,
  { size, seed, leastOfGroup = 0 }: Sampling,
): readonly Item[] {
  if (size >= items.length) return items
  const random = generator(seed)
  const ranked = new Map<string, { readonly item: Item; readonly rank: number }[]>()
  for (const item of items) {
    const group = ranked.get(groupOf(item)) ?? []
    group.push({ item, rank: random() })
    ranked.set(groupOf(item), group)
  }
  const inTurn = [...ranked.values()].flatMap((group) =>
    group
      .sort((a, b) => a.rank - b.rank)
      .map(({ item }, index) => ({ item, share: index < leastOfGroup ? 0 : (index + 0.5) / group.length })),
  )
  const picked = new Set(
    inTurn
      .sort((a, b) => a.share - b.share)
      .slice(0, size)
      .map(({ item }) => item),
  )
  return items.filter((item) => picked.has(item))
}

/** The mulberry32 generator: numbers from 0 up to 1. */
function generator(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
