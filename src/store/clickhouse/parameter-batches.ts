/** The server takes parameters of at most 128 KiB each, including quotes and escapes. */
const maxParameterBytes = 100_000
/** Quotes and a comma around each element of a list. */
const bytesAround = 3

/**
 * Splits items, in order, into groups of at most `most`. `textsOf` gives an item's text in each bound list; no list of a group grows too
 * long to be bound.
 */
export function parameterBatches<Item>(
  items: readonly Item[],
  most: number,
  textsOf: (item: Item) => readonly string[],
): readonly (readonly Item[])[] {
  const batches: Item[][] = []
  let lists: readonly number[] = []
  for (const item of items) {
    const own = textsOf(item).map((text) => bytesAround + escapedBytes(text))
    const batch = batches.at(-1)
    const joined = own.map((bytes, i) => bytes + (lists[i] ?? 0))
    if (batch && batch.length < most && joined.every((bytes) => bytes <= maxParameterBytes)) {
      batch.push(item)
      lists = joined
    } else {
      batches.push([item])
      lists = own
    }
  }
  return batches
}

const escapedBytes = (text: string) => Buffer.byteLength(text) + (text.match(/[\\'\t\n\r\0\b\f]/g)?.length ?? 0)
