import { useEffect, useState } from 'preact/hooks'

export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]
type Scheme = 'light' | 'dark'

const storageKey = 'tidemark-theme'
const shown = 'tidemark:scheme'
const prefersDark = () => matchMedia('(prefers-color-scheme: dark)')

export function chosenTheme(): Theme {
  const stored = localStorage.getItem(storageKey)
  return themes.find((theme) => theme === stored) ?? 'system'
}

/** Stored in the browser beyond the session. */
export function chooseTheme(theme: Theme): void {
  if (theme === 'system') localStorage.removeItem(storageKey)
  else localStorage.setItem(storageKey, theme)
  showTheme()
}

/** Applies the chosen theme, and follows changes of the system's theme. */
export function startTheme(): void {
  showTheme()
  prefersDark().addEventListener('change', showTheme)
}

/** The current colour scheme, for drawings that style sheets do not reach. */
export function useScheme(): Scheme {
  const [scheme, setScheme] = useState(currentScheme)
  useEffect(() => {
    const follow = () => setScheme(currentScheme())
    window.addEventListener(shown, follow)
    return () => window.removeEventListener(shown, follow)
  }, [])
  return scheme
}

function showTheme(): void {
  document.documentElement.dataset.theme = currentScheme()
  window.dispatchEvent(new Event(shown))
}

function currentScheme(): Scheme {
  const theme = chosenTheme()
  if (theme !== 'system') return theme
  return prefersDark().matches ? 'dark' : 'light'
}
