import type { VNode } from 'preact'
import { useState } from 'preact/hooks'

const shownAtFirst = 100

type LongListProps<T> = { readonly items: readonly T[]; readonly children: (item: T) => VNode }

/** Shows the first items of a list, and the rest on request. */
export function LongList<T>({ items, children }: LongListProps<T>) {
  const { shown, rest } = useFirst(items)
  return (
    <>
      <ul class="alert-lines">{shown.map(children)}</ul>
      {rest}
    </>
  )
}

/** The first items of a list, and a button for the rest; null if there is none. */
export function useFirst<T>(items: readonly T[]): { readonly shown: readonly T[]; readonly rest: VNode | null } {
  const [isWhole, setWhole] = useState(false)
  const shown = isWhole ? items : items.slice(0, shownAtFirst)
  const rest =
    shown.length < items.length ? (
      <p class="note">
        {shown.length} of {items.length}.{' '}
        <button type="button" class="quiet-button" onClick={() => setWhole(true)}>
          Show all
        </button>
      </p>
    ) : null
  return { shown, rest }
}
