import { useEffect } from 'preact/hooks'

/** Sets the title of the tab. */
export function useTitle(...parts: readonly string[]): void {
  const title = [...parts, 'Tidemark'].join(' · ')
  useEffect(() => {
    document.title = title
  }, [title])
}
