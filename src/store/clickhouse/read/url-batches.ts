import { batchesBy } from './batches-by.ts'

/**
 * Parameters of statements that are answered in columns are in the URL, which many servers and proxies take only up to 16 KiB. The rest
 * is for settings, and for parameters that are no lists.
 */
const maxListBytes = 14_000

/** Items in groups that one URL can name. Each has a text or number in each of some lists. */
export function urlBatches<Item>(
  items: readonly Item[],
  listed: (item: Item) => readonly (string | number)[],
): readonly (readonly Item[])[] {
  return batchesBy(items, (item) => listed(item).reduce((sum: number, value) => sum + encodedBytes(value), 0), maxListBytes)
}

/** With a comma, and texts between quotes and with their escapes. */
function encodedBytes(value: string | number): number {
  const literal = typeof value === 'number' ? `${value},` : `'${value.replace(/[\\'\t\n\r\0\b\f]/g, '\\$&')}',`
  return new URLSearchParams({ '': literal }).toString().length - '='.length
}
