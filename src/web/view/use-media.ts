import { useEffect, useState } from 'preact/hooks'

/** Whether the screen is such as the style sheet would say, for what is drawn and not styled. */
export function useMedia(condition: string): boolean {
  const [matches, setMatches] = useState(() => matchMedia(condition).matches)
  useEffect(() => {
    const query = matchMedia(condition)
    const follow = () => setMatches(query.matches)
    query.addEventListener('change', follow)
    return () => query.removeEventListener('change', follow)
  }, [condition])
  return matches
}
