import type { AnchorHTMLAttributes, ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { basePath } from './base-path.ts'

/** The parsed URL: every view has one. */
export type Route = { readonly path: string; readonly query: URLSearchParams }

const navigated = 'tidemark:navigated'

export function useRoute(): Route {
  const [route, setRoute] = useState(currentRoute)
  useEffect(() => {
    const update = () => setRoute(currentRoute())
    window.addEventListener('popstate', update)
    window.addEventListener(navigated, update)
    return () => {
      window.removeEventListener('popstate', update)
      window.removeEventListener(navigated, update)
    }
  }, [])
  return route
}

export function navigate(href: string, how: 'push' | 'replace' = 'push'): void {
  if (how === 'push') history.pushState(null, '', basePath() + href)
  else history.replaceState(null, '', basePath() + href)
  window.dispatchEvent(new Event(navigated))
}

/** The URL of the route with some of its query changed; an empty value removes a parameter. */
export function withQuery({ path, query }: Route, changes: Readonly<Record<string, string | null>>): string {
  const next = new URLSearchParams(query)
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === '') next.delete(name)
    else next.set(name, value)
  }
  const text = next.toString()
  return text === '' ? path : `${path}?${text}`
}

type LinkProps = {
  readonly href: string
  readonly class?: string
  readonly children: ComponentChildren
} & Pick<AnchorHTMLAttributes<HTMLAnchorElement>, 'aria-label' | 'title' | 'tabIndex' | 'style'>

export function Link({ href, children, ...rest }: LinkProps) {
  const onClick = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    navigate(href)
    window.scrollTo(0, 0)
  }
  return (
    <a {...rest} href={basePath() + href} onClick={onClick}>
      {children}
    </a>
  )
}

function currentRoute(): Route {
  const base = basePath()
  const { pathname } = location
  const path = pathname.startsWith(base) ? pathname.slice(base.length) || '/' : pathname
  return { path, query: new URLSearchParams(location.search) }
}
