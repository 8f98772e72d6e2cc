import { useEffect } from 'preact/hooks'
import { useSession } from '../api/use-resource.ts'
import type { Definition } from './definition.ts'

/** What is edited: a definition, and the tag of the version that it is of. */
export type EditedBase = { readonly definition: Definition; readonly tag: string | null }

/** What was edited and not saved. Without a base, it is a new check. */
type Draft = { readonly definition: Definition; readonly base?: EditedBase }

/** By form; they last as long as the session in this tab. */
const drafts = new WeakMap<object, Map<string, Draft>>()

/** Under which the draft of a stored check is kept. */
export const storedDraft = (id: string) => `check ${id}`

export function useDrafts(): Map<string, Draft> {
  const { cache } = useSession()
  const known = drafts.get(cache) ?? new Map<string, Draft>()
  drafts.set(cache, known)
  return known
}

/** The browser asks before the page is closed or loaded again. */
export function useAskBeforeLeaving(isDirty: boolean): void {
  useEffect(() => {
    if (!isDirty) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', ask)
    return () => removeEventListener('beforeunload', ask)
  }, [isDirty])
}
