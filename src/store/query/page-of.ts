import type { Paging } from '../store.ts'

/** The items of one page; all where there is no paging. */
export function pageOf<T>(items: readonly T[], paging: Paging | null): readonly T[] {
  return paging ? items.slice(paging.offset, paging.offset + paging.limit) : items
}
