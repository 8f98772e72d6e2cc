import type { AnchorHTMLAttributes, ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { basePath } from './base-path.ts'

export type Route = {
  readonly path: string
  readonly query: URLSearchParams
  /** The last queries of parent views, by path. */
  readonly above: Readonly<Record<string, string>>
  /** The windows before each zoom, as queries, the latest last. */
  readonly zooms: readonly string[]
}

/** State of a browser history entry in addition to its URL. */
type Memory = Pick<Route, 'above' | 'zooms'>

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

/** Navigates to a URL. Keeps `zooms` while path and window stay the same. */
export function navigate(href: string, how: 'push' | 'replace' = 'push', zooms?: readonly string[]): void {
  const before = currentRoute()
  const { pathname, searchParams } = new URL(href, location.origin)
  const sameWindow = pathname === before.path && windowText(searchParams) === windowText(before.query)
  const above = { ...before.above, [before.path]: before.query.toString() }
  const memory: Memory = {
    above: Object.fromEntries(Object.entries(above).filter(([path]) => isAbove(path, pathname))),
    zooms: zooms ?? (sameWindow ? before.zooms : []),
  }
  if (how === 'push') history.pushState(memory, '', basePath() + href)
  else history.replaceState(memory, '', basePath() + href)
  window.dispatchEvent(new Event(navigated))
}

/** The URL of the route with a changed query. Null or an empty value removes a parameter. */
export function withQuery({ path, query }: Pick<Route, 'path' | 'query'>, changes: Readonly<Record<string, string | null>>): string {
  const next = new URLSearchParams(query)
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === '') next.delete(name)
    else next.set(name, value)
  }
  const text = next.toString()
  return text === '' ? path : `${path}?${text}`
}

/** The URL of a parent view with its last query, but with the window of `query`. */
export function upTo(path: string, { above }: Route, query = leftQuery(path, above)): string {
  return withQuery({ path, query: leftQuery(path, above) }, windowOnly(query))
}

function leftQuery(path: string, above: Route['above']): URLSearchParams {
  return new URLSearchParams(above[path])
}

/** The query parameters that select the window. */
export function windowOnly(query: URLSearchParams): Record<string, string | null> {
  return { quickRange: query.get('quickRange'), from: query.get('from'), to: query.get('to'), timezone: query.get('timezone') }
}

function windowText(query: URLSearchParams): string {
  return withQuery({ path: '', query: new URLSearchParams() }, windowOnly(query))
}

function isAbove(path: string, of: string): boolean {
  return path !== of && (path === '/' || of.startsWith(`${path}/`))
}

type LinkProps = {
  readonly href: string
  readonly class?: string
  /** Keeps the scroll position. */
  readonly stays?: boolean
  onMouseMove?(event: MouseEvent): void
  onMouseLeave?(): void
  readonly children: ComponentChildren
} & Pick<AnchorHTMLAttributes<HTMLAnchorElement>, 'aria-label' | 'aria-current' | 'title' | 'tabIndex' | 'style'>

export function RouteLink({ href, stays = false, children, ...rest }: LinkProps) {
  const onClick = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    navigate(href)
    if (!stays) scrollToTarget(href)
  }
  return (
    <a {...rest} href={basePath() + href} onClick={onClick}>
      {children}
    </a>
  )
}

/** Scrolls to the element named in the URL's fragment, or to the top. */
function scrollToTarget(href: string): void {
  const [, id = ''] = href.split('#')
  const target = document.getElementById(id)
  if (target === null) window.scrollTo(0, 0)
  else target.scrollIntoView()
}

function currentRoute(): Route {
  const base = basePath()
  const { pathname } = location
  const path = pathname.startsWith(base) ? pathname.slice(base.length) || '/' : pathname
  const { above = {}, zooms = [] } = (history.state ?? {}) as Partial<Memory>
  return { path, query: new URLSearchParams(location.search), above, zooms }
}
