import { batchesBy } from './batches-by.ts'

/**
 * Statements that are answered in columns have their parameters in the URL, and many servers and proxies limit it to 16 KiB. The rest is
 * for settings and scalar parameters.
 */
const maxListBytes = 14_000

/** Splits items into groups that fit into one URL. `listed` gives an item's text or number in each list. */
export function urlBatches<Item>(
  items: readonly Item[],
  listed: (item: Item) => readonly (string | number)[],
): readonly (readonly Item[])[] {
  return batchesBy(items, (item) => listed(item).reduce((sum: number, value) => sum + encodedBytes(value), 0), maxListBytes)
}

/** Including a comma, and quotes and escapes of texts. */
function encodedBytes(value: string | number): number {
  const literal = typeof value === 'number' ? `${value},` : `'${value.replace(/[\\'\t\n\r\0\b\f]/g, '\\$&')}',`
  return new URLSearchParams({ '': literal }).toString().length - '='.length
}
