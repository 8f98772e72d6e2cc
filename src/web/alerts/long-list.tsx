import type { VNode } from 'preact'
import { useState } from 'preact/hooks'

const shownAtFirst = 100

type LongListProps<T> = { readonly items: readonly T[]; readonly children: (item: T) => VNode }

/** Shows the first items of a list, and the rest on request. */
export function LongList<T>({ items, children }: LongListProps<T>) {
  const [isWhole, setWhole] = useState(false)
  const shown = isWhole ? items : items.slice(0, shownAtFirst)
  return (
    <>
      <ul class="alert-lines">{shown.map(children)}</ul>
      {shown.length < items.length && (
        <p class="note">
          {shown.length} of {items.length}.{' '}
          <button type="button" class="quiet-button" onClick={() => setWhole(true)}>
            Show all
          </button>
        </p>
      )}
    </>
  )
}
