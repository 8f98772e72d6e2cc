import { onTestFinished, vi } from 'vitest'

/** The address bar: its URL and history state, and the recorded navigations. */
export type PageAddress = { href(): string; state(): unknown; readonly done: readonly (readonly [string, string])[]; goBack(): void }

/** Stubs the page's address and tab history until the test ends. */
export function openAddress(href: string): PageAddress {
  const origin = 'http://page.test'
  const page = new EventTarget()
  const entries: { readonly url: URL; readonly state: unknown }[] = [{ url: new URL(href, origin), state: null }]
  const done: (readonly [string, string])[] = []
  const now = () => entries.at(-1) ?? { url: new URL(origin), state: null }
  const change = (how: string) => (state: unknown, _: string, to: string) => {
    done.push([how, to])
    if (how === 'replace') entries.pop()
    entries.push({ url: new URL(to, origin), state })
  }
  vi.stubGlobal('window', page)
  vi.stubGlobal('addEventListener', page.addEventListener.bind(page))
  vi.stubGlobal('removeEventListener', page.removeEventListener.bind(page))
  vi.stubGlobal('location', {
    origin,
    get pathname() {
      return now().url.pathname
    },
    get search() {
      return now().url.search
    },
    get hash() {
      return now().url.hash
    },
    reload: () => done.push(['reload', now().url.href]),
  })
  vi.stubGlobal('history', {
    get state() {
      return now().state
    },
    pushState: change('push'),
    replaceState: change('replace'),
  })
  onTestFinished(() => void vi.unstubAllGlobals())
  return {
    done,
    href: () => now().url.href.slice(origin.length),
    state: () => now().state,
    goBack() {
      entries.pop()
      page.dispatchEvent(new Event('popstate'))
    },
  }
}
