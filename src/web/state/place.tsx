import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'

/** Where the reader is: every view is an address. */
export type Place = { readonly path: string; readonly query: URLSearchParams }

const moved = 'tidemark:moved'

export function usePlace(): Place {
  const [place, setPlace] = useState(here)
  useEffect(() => {
    const follow = () => setPlace(here())
    window.addEventListener('popstate', follow)
    window.addEventListener(moved, follow)
    return () => {
      window.removeEventListener('popstate', follow)
      window.removeEventListener(moved, follow)
    }
  }, [])
  return place
}

export function go(href: string, how: 'push' | 'replace' = 'push'): void {
  if (how === 'push') history.pushState(null, '', href)
  else history.replaceState(null, '', href)
  window.dispatchEvent(new Event(moved))
}

/** The same place with some of its query changed; an empty value takes a name out. */
export function withQuery({ path, query }: Place, changes: Readonly<Record<string, string | null>>): string {
  const next = new URLSearchParams(query)
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === '') next.delete(name)
    else next.set(name, value)
  }
  const text = next.toString()
  return text === '' ? path : `${path}?${text}`
}

type LinkProps = { readonly href: string; readonly class?: string; readonly children: ComponentChildren }

export function Link({ href, children, ...rest }: LinkProps) {
  const follow = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    go(href)
    window.scrollTo(0, 0)
  }
  return (
    <a {...rest} href={href} onClick={follow}>
      {children}
    </a>
  )
}

function here(): Place {
  return { path: location.pathname, query: new URLSearchParams(location.search) }
}
