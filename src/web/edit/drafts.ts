import { useEffect } from 'preact/hooks'
import { useSession } from '../api/use-resource.ts'
import type { Definition } from './definition.ts'

/** The definition before editing, with the tag of its version. */
export type EditedBase = { readonly definition: Definition; readonly tag: string | null }

/** Unsaved changes. Without a base, the check is new. */
type Draft = { readonly definition: Definition; readonly base?: EditedBase }

/** Drafts by session cache, so they last as long as the session in this tab. */
const drafts = new WeakMap<object, Map<string, Draft>>()

/** Under which the draft of a stored check is kept. */
export const storedDraft = (id: string) => `check ${id}`

export function useDrafts(): Map<string, Draft> {
  const { cache } = useSession()
  const known = drafts.get(cache) ?? new Map<string, Draft>()
  drafts.set(cache, known)
  return known
}

/** Lets the browser ask before the page is closed or reloaded. */
export function useAskBeforeLeaving(isDirty: boolean): void {
  useEffect(() => {
    if (!isDirty) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', ask)
    return () => removeEventListener('beforeunload', ask)
  }, [isDirty])
}
