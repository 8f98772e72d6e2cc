import { useEffect, useState } from 'preact/hooks'

/** Changes with the system's light or dark, for what is drawn and not styled. */
export function useScheme(): 'light' | 'dark' {
  const [dark, setDark] = useState(() => matchMedia('(prefers-color-scheme: dark)').matches)
  useEffect(() => {
    const query = matchMedia('(prefers-color-scheme: dark)')
    const follow = () => setDark(query.matches)
    query.addEventListener('change', follow)
    return () => query.removeEventListener('change', follow)
  }, [])
  return dark ? 'dark' : 'light'
}
