import { useContext, useEffect } from 'preact/hooks'
import { SessionContext } from '../api/use-resource.ts'

/** Sets the title of the tab, which notes when the data may be outdated. */
export function useTitle(...parts: readonly string[]): void {
  const isLost = (useContext(SessionContext)?.lostAt ?? null) !== null
  const title = [...(isLost ? ['Disconnected'] : []), ...parts, 'Tidemark'].join(' · ')
  useEffect(() => {
    document.title = title
  }, [title])
}
