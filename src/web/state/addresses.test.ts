import { beforeEach, expect, test, vi } from 'vitest'
import { openAddress } from '../../../test/support/page-address.ts'
import { openHook } from '../testing/open-hook.tsx'
import { chooseZone, chosenZone, replaceZone, useReaderZone } from './chosen-zone.ts'
import { navigate, upTo, useRoute, windowOnly, withQuery } from './route.tsx'
import { isUpgraded, reloadOnce } from './upgrade.ts'
import { readerZone, showZone } from './zone.ts'
import { unzoom, windowName, zoomedFrom, zoomTo } from './zoom.ts'

const soon = { interval: 5 }
let basePath: string
let script: string | null

beforeEach(() => {
  basePath = ''
  script = null
  vi.stubGlobal('document', {
    querySelector: (what: string) =>
      what.startsWith('script') ? (script === null ? null : { getAttribute: () => script }) : { content: basePath },
  })
  for (const name of ['localStorage', 'sessionStorage']) {
    const stored = new Map<string, string>()
    vi.stubGlobal(name, {
      getItem: (key: string) => stored.get(key) ?? null,
      setItem: (key: string, value: string) => stored.set(key, value),
      removeItem: (key: string) => stored.delete(key),
    })
  }
})

/** Renders a component that follows the route. */
function openRoute(href: string) {
  const address = openAddress(href)
  const hook = openHook(useRoute)
  const isAt = (path: string) => expect.poll(() => withQuery(hook.last(), {}), soon).toBe(path)
  return { address, isAt, route: () => hook.last(), settled: hook.settled }
}

test('the route follows the URL, navigation and the back button', async () => {
  const { address, isAt, route, settled } = openRoute('/checks/a?from=1')
  await isAt('/checks/a?from=1')
  await settled()
  navigate('/slos?x=1')
  await isAt('/slos?x=1')
  navigate('/slos?x=2', 'replace')
  await isAt('/slos?x=2')
  expect(address.done).toEqual([
    ['push', '/slos?x=1'],
    ['replace', '/slos?x=2'],
  ])
  address.goBack()
  await isAt('/checks/a?from=1')
  expect(route().zooms).toEqual([])
})

test('with a base path, URLs include it and routes do not', async () => {
  basePath = '/status'
  const { address, isAt } = openRoute('/status/checks/a')
  await isAt('/checks/a')
  navigate('/slos')
  expect(address.href()).toBe('/status/slos')
})

test.each([
  ['/status', '/'],
  ['/status/', '/'],
  ['/elsewhere', '/elsewhere'],
])('with the base path /status, the URL %s is the view %s', (href, path) => {
  basePath = '/status'
  expect(openRoute(href).route().path).toBe(path)
})

test('a view remembers the queries of the views above it, and of no others', () => {
  const { address } = openRoute('/checks?state=failing&from=1')
  navigate('/checks/a?from=2')
  expect(address.state()).toEqual({ above: { '/checks': 'state=failing&from=1' }, zooms: [] })
  navigate('/checks/a/runs/b')
  expect(address.state()).toMatchObject({ above: { '/checks': 'state=failing&from=1', '/checks/a': 'from=2' } })
  navigate('/slos')
  expect(address.state()).toMatchObject({ above: {} })
  navigate('/')
  navigate('/locations')
  expect(address.state()).toMatchObject({ above: { '/': '' } })
})

test('the way up leads to the last query of the view, with the current window or the old one', () => {
  const route = { path: '/checks/a', query: new URLSearchParams('from=2&to=3'), above: { '/checks': 'state=failing&from=1' }, zooms: [] }
  expect(upTo('/checks', route)).toBe('/checks?state=failing&from=1')
  expect(upTo('/checks', route, route.query)).toBe('/checks?state=failing&from=2&to=3')
  expect(upTo('/slos', route)).toBe('/slos')
})

test('parameters are set and removed, and those of the window are recognized', () => {
  const query = new URLSearchParams('a=1&quickRange=last7Days&timezone=UTC')
  expect(withQuery({ path: '/x', query }, { a: null, quickRange: '', b: '2' })).toBe('/x?timezone=UTC&b=2')
  expect(withQuery({ path: '/x', query: new URLSearchParams('a=1') }, { a: null })).toBe('/x')
  expect(windowOnly(query)).toEqual({ quickRange: 'last7Days', from: null, to: null, timezone: 'UTC' })
})

test('zooming out restores earlier windows one by one, unless the window was changed', async () => {
  const { isAt, route, settled } = openRoute('/checks/a?quickRange=last7Days&metric=x')
  const [from, to] = [Date.parse('2026-11-01T00:00:00Z'), Date.parse('2026-11-02T00:00:00Z')]
  await settled()
  zoomTo(route(), { from, to })
  const zoomed = '/checks/a?metric=x&from=2026-11-01T00%3A00%3A00.000Z&to=2026-11-02T00%3A00%3A00.000Z'
  await isAt(zoomed)
  expect(zoomedFrom(route())).toEqual({ preset: 'last7Days' })
  zoomTo(route(), { from, to: to - 1 })
  await expect.poll(() => route().zooms.length, soon).toBe(2)
  navigate(withQuery(route(), { metric: 'y' }))
  await isAt(zoomed.replace('metric=x', 'metric=y').replace('02T00%3A00%3A00.000Z', '01T23%3A59%3A59.999Z'))
  expect(zoomedFrom(route())).toEqual({ from, to })
  unzoom(route())
  await expect.poll(() => route().zooms.length, soon).toBe(1)
  unzoom(route())
  await isAt('/checks/a?metric=y&quickRange=last7Days')
  expect(zoomedFrom(route())).toBeNull()
  unzoom(route())
  expect(route().zooms).toEqual([])
  zoomTo(route(), { from, to })
  await expect.poll(() => route().zooms.length, soon).toBe(1)
  navigate('/checks/b')
  await isAt('/checks/b')
  expect(route().zooms).toEqual([])
})

test('a window has its name from the list, and two instants are the window before', () => {
  expect([windowName({ preset: 'last7Days' }), windowName({ from: 1, to: 2 })]).toEqual(['last 7 days', 'the window before'])
})

// A zone that no other test uses, because its replacement lasts as long as the page.
test('a zone in the URL overrides the chosen one, which overrides that of the computer', async () => {
  openAddress('/')
  let query = ''
  const hook = openHook(() => useReaderZone({ query: new URLSearchParams(query) }))
  await hook.settled()
  const shown = async (text: string) => {
    await expect.poll(() => hook.last(), soon).toBe(text)
    return readerZone()
  }
  const own = await shown(`${readerZone()} `)
  chooseZone('Asia/Yangon')
  expect([await shown('Asia/Yangon '), chosenZone()]).toEqual(['Asia/Yangon', 'Asia/Yangon'])
  query = 'timezone=Europe/Berlin'
  hook.again()
  expect(await shown('Europe/Berlin ')).toBe('Europe/Berlin')
  query = 'timezone=Mars/Phobos'
  hook.again()
  expect(await shown('Asia/Yangon ')).toBe('Asia/Yangon')
  replaceZone('Asia/Yangon')
  expect(await shown('UTC Asia/Yangon')).toBe('UTC')
  chooseZone(null)
  expect(await shown(`${own} `)).toBe(own)
  query = `timezone=${own}`
  hook.again()
  await hook.settled()
  expect(hook.last()).toBe(`${own} `)
  expect(chosenZone()).toBeNull()
  localStorage.setItem('tidemark-zone', 'Mars/Phobos')
  expect(chosenZone()).toBeNull()
  showZone(null)
})

test.each([
  ['with another script', '<script src="/assets/new.js">', 200, '/assets/old.js', true],
  ['with the same script', '<script src="/assets/old.js">', 200, '/assets/old.js', false],
  ['with a fault', '', 500, '/assets/old.js', false],
  ['for a page that has none', '', 200, null, false],
])('whether the page is outdated when the server responds %s', async (_, html, status, own, upgraded) => {
  script = own
  basePath = '/status'
  const asked: unknown[] = []
  vi.stubGlobal('fetch', async (...all: readonly unknown[]) => {
    asked.push(all)
    return new Response(html, { status })
  })
  expect(await isUpgraded()).toBe(upgraded)
  expect(asked).toEqual([['/status/', { cache: 'no-store', credentials: 'omit' }]])
})

test('without a response the page does not count as outdated', async () => {
  script = '/assets/old.js'
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('no network')))
  expect(await isUpgraded()).toBe(false)
})

test('a page whose code cannot be loaded is reloaded, but not twice within a minute', () => {
  const { done } = openAddress('/slos')
  expect([reloadOnce(), reloadOnce()]).toEqual([true, false])
  sessionStorage.setItem('tidemark-reloaded', String(Date.now() - 61_000))
  expect(reloadOnce()).toBe(true)
  expect(done.map(([what]) => what)).toEqual(['reload', 'reload'])
})
