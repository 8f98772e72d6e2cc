import { useEffect } from 'preact/hooks'

/** What the tab and the history call this view. */
export function useTitle(...parts: readonly string[]): void {
  const title = [...parts, 'Tidemark'].join(' · ')
  useEffect(() => {
    document.title = title
  }, [title])
}
