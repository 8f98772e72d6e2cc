import type { CheckRef, Window } from '../store.ts'

/** Of how many of some checks, in their order, each call to a reader is about; `usual` is a good number where calls cost nothing themselves. */
export type CallSizes = (checks: readonly CheckRef[], window: Window, usual: number) => readonly number[] | Promise<readonly number[]>

export const equalCalls: CallSizes = ({ length }, _, usual) => Array.from({ length: Math.ceil(length / usual) }, () => usual)

/** Items in consecutive groups of these sizes. */
export function inGroups<Item>(items: readonly Item[], sizes: readonly number[]): readonly (readonly Item[])[] {
  let from = 0
  return sizes.map((size) => {
    from += size
    return items.slice(from - size, from)
  })
}
