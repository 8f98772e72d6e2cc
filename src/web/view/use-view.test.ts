import { resolveObjectURL } from 'node:buffer'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openAddress } from '../../../test/support/page-address.ts'
import { useFit } from '../overview/use-fit.ts'
import { openHook, stopTime, testSession } from '../testing/open-hook.tsx'
import { useFailingIcon } from './use-failing-icon.ts'
import { useNow } from './use-now.ts'
import { useRenderTimeout } from './use-render-timeout.ts'
import { useSeen } from './use-seen.ts'
import { useTitle } from './use-title.ts'

const soon = { interval: 5 }

function page<T extends object>(stub: T): T {
  vi.stubGlobal('document', stub)
  onTestFinished(() => void vi.unstubAllGlobals())
  return stub
}

test('the title of the tab is that of the view, and marks outdated data', async () => {
  const shown = page({ title: '' })
  const session = testSession()
  const hook = openHook(() => useTitle('Shop', 'Checks'), session)
  await expect.poll(() => shown.title, soon).toBe('Shop · Checks · Tidemark')
  hook.again({ ...session, lostAt: 1 })
  await expect.poll(() => shown.title, soon).toBe('Disconnected · Shop · Checks · Tidemark')
})

test('the icon of the tab counts failing checks, and is otherwise the default', async () => {
  const icon = { href: 'usual.svg' }
  page({ querySelector: (what: string) => (what === 'link[rel="icon"]' ? icon : null) })
  let [failing, isLost] = [0, false]
  const hook = openHook(() => useFailingIcon(failing, isLost))
  await hook.settled()
  expect(icon.href).toBe('usual.svg')
  const shown: string[] = []
  const shows = async (count: number, lost = false) => {
    ;[failing, isLost] = [count, lost]
    hook.again()
    await hook.settled()
    shown.push(icon.href)
    const blob = resolveObjectURL(icon.href)
    const [, colour, size, text] = /fill="(#\w+)".*font-size="(\d+)".*>(.+)<\/text>/.exec((await blob?.text()) ?? '') ?? []
    return [blob?.type, colour, size, text]
  }
  expect(await shows(3)).toEqual(['image/svg+xml', '#b3370a', '24', '3'])
  expect(await shows(12)).toEqual(['image/svg+xml', '#b3370a', '20', '12'])
  expect((await shows(99)).at(-1)).toBe('99')
  expect(await shows(100)).toEqual(['image/svg+xml', '#b3370a', '15', '99+'])
  expect(await shows(0, true)).toEqual(['image/svg+xml', '#5b6770', '24', '?'])
  await shows(0)
  expect(icon.href).toBe('usual.svg')
  expect(shown.map((href) => resolveObjectURL(href))).toEqual(Array(6).fill(undefined))
})

test('times are updated every few seconds, by one timer for all of them, while any is shown', async () => {
  stopTime()
  const hooks = [openHook(() => useNow()), openHook(() => useNow())] as const
  await vi.advanceTimersByTimeAsync(50)
  expect(vi.getTimerCount()).toBe(1)
  const begun = hooks[0].last()
  await vi.advanceTimersByTimeAsync(10_000)
  expect(hooks.map((hook) => hook.last() - begun >= 10_000)).toEqual([true, true])
  hooks[0].close()
  await vi.advanceTimersByTimeAsync(50)
  expect(vi.getTimerCount()).toBe(1)
  hooks[1].close()
  await vi.advanceTimersByTimeAsync(50)
  expect(vi.getTimerCount()).toBe(0)
  const later = openHook(() => useNow())
  await vi.advanceTimersByTimeAsync(50)
  expect(vi.getTimerCount()).toBe(1)
  later.close()
})

test('a view that waits for something is rendered without it after a timeout', async () => {
  stopTime()
  const hook = openHook(() => useRenderTimeout(600))
  await vi.advanceTimersByTimeAsync(500)
  expect(hook.last()).toBe(false)
  await vi.advanceTimersByTimeAsync(200)
  expect(hook.last()).toBe(true)
  openHook(() => useRenderTimeout(600)).close()
  await vi.advanceTimersByTimeAsync(50)
  expect(vi.getTimerCount()).toBe(0)
})

test('an element is loaded once it is visible, and is no longer observed', async () => {
  const watches: { see(...seen: boolean[]): void; readonly element: unknown; isEnded: boolean }[] = []
  class Watch {
    constructor(found: (entries: readonly { readonly isIntersecting: boolean }[]) => void, { rootMargin }: { rootMargin: string }) {
      expect(rootMargin).toContain('300px')
      const own = { see: (...seen: boolean[]) => found(seen.map((isIntersecting) => ({ isIntersecting }))), element: null, isEnded: false }
      watches.push(own)
      Object.assign(this, {
        observe: (element: unknown) => Object.assign(own, { element }),
        disconnect: () => Object.assign(own, { isEnded: true }),
      })
    }
  }
  vi.stubGlobal('IntersectionObserver', Watch)
  onTestFinished(() => void vi.unstubAllGlobals())
  const element = {} as Element
  const hook = openHook(() => {
    const [place, seen] = useSeen()
    place.current = element
    return seen
  })
  await hook.settled()
  watches[0]?.see(false)
  await hook.settled()
  expect([hook.last(), watches[0]?.element]).toEqual([false, element])
  watches[0]?.see(false, true)
  await expect.poll(() => hook.last(), soon).toBe(true)
  await hook.settled()
  expect(watches.map(({ isEnded }) => isEnded)).toEqual([true])
})

/** An element whose content size depends on the font size and shrinks with the density. */
function wall(contentOf: (density: number) => number) {
  const element = {
    dataset: {} as { density?: string },
    style: { fontSize: '' },
    clientHeight: 1000,
    clientWidth: 1000,
    get scrollHeight() {
      return contentOf(Number(element.dataset.density)) * Number.parseFloat(element.style.fontSize)
    },
    scrollWidth: 1000,
  }
  return element
}

test.each([
  ['little is as large as the screen allows', () => 1, '0', 40],
  ['more is as large as fits', () => 40, '0', 25],
  ['too much to be read leaves some of it out', (density: number) => [200, 100, 40, 10][density] ?? 0, '2', 25],
  ['at the highest density letters may be small', () => 125, '3', 8],
  ['what never fits is as small as it may be', () => 1000, '3', 7],
])('of a wall, %s', async (_, contentOf, density, size) => {
  const element = wall(contentOf)
  openAddress('/wall')
  vi.stubGlobal('innerWidth', 1360)
  vi.stubGlobal('innerHeight', 900)
  const hook = openHook(() => useFit({ current: element as unknown as HTMLElement }, 'content'))
  const found = () => Number.parseFloat(element.style.fontSize)
  expect([element.dataset.density, Math.round(found())]).toEqual([density, size])
  expect(element.scrollHeight <= 1000 || size === 7).toBe(true)
  vi.stubGlobal('innerWidth', 340)
  window.dispatchEvent(new Event('resize'))
  expect(found()).toBeLessThanOrEqual(14)
  hook.close()
  vi.stubGlobal('innerWidth', 1360)
  window.dispatchEvent(new Event('resize'))
  expect(found()).toBeLessThanOrEqual(14)
})
