/** The server takes parameters of at most 128 KiB each, with their quotes and escapes. */
const maxParameterBytes = 100_000
/** Quotes and a comma around each element of a list. */
const bytesAround = 3

/** Items in their order, in groups of at most `most`. Each item has a text in each of some lists, and each list of a group is short enough to be bound. */
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
