import { useState } from 'preact/hooks'
import { PaletteButton } from '../palette/palette-button.tsx'
import { basePath } from '../state/base-path.ts'
import { RouteLink } from '../state/route.tsx'
import { chooseTheme, chosenTheme, type Theme, themes } from '../state/theme.ts'
import { Mark } from './mark.tsx'
import { wordsOf } from './words.ts'

export function TopBar({ account, onSignOut }: { readonly account: string; onSignOut(): void }) {
  return (
    <header class="top">
      <RouteLink href="/" class="brand">
        <Mark /> Tidemark
      </RouteLink>
      <span class="account">
        <span class="wide-only">Account </span>
        <b>{account}</b>
      </span>
      <nav class="views" aria-label="Views">
        <RouteLink href="/overview">Overview</RouteLink>
        <RouteLink href="/outages">Outages</RouteLink>
        <RouteLink href="/alerts">Alerts</RouteLink>
        <RouteLink href="/slos">SLOs</RouteLink>
        <RouteLink href="/locations">Locations</RouteLink>
        <a href={`${basePath()}/docs`}>API</a>
        <ThemeSwitch />
      </nav>
      <PaletteButton />
      <button type="button" class="quiet-button" onClick={onSignOut}>
        Sign out
      </button>
    </header>
  )
}

function ThemeSwitch() {
  const [theme, setTheme] = useState(chosenTheme)
  const pick = (next: Theme) => {
    chooseTheme(next)
    setTheme(next)
  }
  return (
    <select class="theme-switch" aria-label="Colours" value={theme} onChange={(event) => pick(event.currentTarget.value as Theme)}>
      {themes.map((name) => (
        <option key={name} value={name}>
          {wordsOf(name)}
        </option>
      ))}
    </select>
  )
}
