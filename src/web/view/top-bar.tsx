import { PaletteButton } from '../palette/palette-button.tsx'
import { basePath } from '../state/base-path.ts'
import { type Route, RouteLink } from '../state/route.tsx'
import { Mark } from './mark.tsx'
import { ThemeSwitch } from './theme-switch.tsx'
import { views } from './views.ts'
import { ZoneSwitch } from './zone-switch.tsx'

type TopBarProps = { readonly account: string; readonly route: Route; onSignOut(): void }

export function TopBar({ account, route, onSignOut }: TopBarProps) {
  return (
    <header class="top">
      <SkipLink />
      <RouteLink href="/" class="brand">
        <Mark /> Tidemark
      </RouteLink>
      <span class="account">
        <span class="wide-only">Account </span>
        <b>{account}</b>
      </span>
      <nav class="views" aria-label="Views">
        {views.map(({ href, name, within }) => (
          <RouteLink key={href} href={href} aria-current={currentIn(route.path, href, within)}>
            {name}
          </RouteLink>
        ))}
        <a href={`${basePath()}/docs`}>API</a>
        <ZoneSwitch route={route} />
        <ThemeSwitch />
      </nav>
      <PaletteButton />
      <button type="button" class="quiet-button" onClick={onSignOut}>
        Sign out
      </button>
    </header>
  )
}

/** Whether the path is the view itself (`page`) or below it (`true`). */
function currentIn(path: string, href: string, within: RegExp): 'page' | 'true' | undefined {
  if (!within.test(path)) return undefined
  return path.replace(/(?<=.)\/$/, '') === href ? 'page' : 'true'
}

/** The first tab stop, which skips the bar. */
function SkipLink() {
  const skip = (event: Event) => {
    event.preventDefault()
    document.querySelector('main')?.focus()
  }
  return (
    // biome-ignore lint/a11y/useValidAnchor: it leads where it says, without a new entry of the history
    <a class="skip-link" href="#main" onClick={skip}>
      Skip to the view
    </a>
  )
}
