import type { VNode } from 'preact'
import { expect, test } from 'vitest'
import { openHook } from '../testing/open-hook.tsx'
import { useFirst } from './long-list.tsx'

const items = Array.from({ length: 101 }, (_, i) => i)

/** Clicks the button in a note. */
function click(note: VNode | null): void {
  const children = (note?.props.children ?? []) as readonly (VNode<{ onClick?(): void }> | string)[]
  for (const child of children) if (typeof child === 'object') child.props.onClick?.()
}

test('a long list shows its first items, and the rest on request', async () => {
  const hook = openHook(() => useFirst(items))
  expect(hook.last().shown).toEqual(items.slice(0, 100))
  click(hook.last().rest)
  await expect.poll(() => hook.last().shown, { interval: 5 }).toEqual(items)
  expect(hook.last().rest).toBeNull()
})

test('a list of a hundred items is shown as a whole', () => {
  const hook = openHook(() => useFirst(items.slice(1)))
  expect([hook.last().shown.length, hook.last().rest]).toEqual([100, null])
})
