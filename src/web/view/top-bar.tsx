import { PaletteButton } from '../palette/palette-button.tsx'
import { basePath } from '../state/base-path.ts'
import { RouteLink } from '../state/route.tsx'
import { Mark } from './mark.tsx'
import { ThemeSwitch } from './theme-switch.tsx'

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
