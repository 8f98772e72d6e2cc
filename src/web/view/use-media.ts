import { useEffect, useState } from 'preact/hooks'

/** Whether a media query matches, for what CSS alone cannot decide. */
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
