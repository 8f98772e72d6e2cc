import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { answerPage } from '../../../test/support/page-api.ts'
import type { PageCredentials } from '../api/client.ts'
import { clearCredentials, joinCredentials, loadCredentials, redeem, saveCredentials, takeCode } from './credentials.ts'
import { connectTabs } from './tabs.ts'

const own = { key: 'own-key', account: 'acme' }
const other = { key: 'other-key', account: 'acme' }

const loadPage = (basePath: string) => vi.stubGlobal('document', { querySelector: () => ({ content: basePath }) })

beforeEach(() => {
  loadPage('')
  for (const name of ['localStorage', 'sessionStorage']) {
    const stored = new Map<string, string>()
    vi.stubGlobal(name, {
      getItem: (key: string) => stored.get(key) ?? null,
      setItem: (key: string, value: string) => stored.set(key, value),
      removeItem: (key: string) => stored.delete(key),
    })
  }
  onTestFinished(() => void vi.unstubAllGlobals())
})

/** A tab with its session, which records the messages of other tabs. */
function openTab(session: PageCredentials | null) {
  const heard: unknown[] = []
  const tabs = connectTabs({
    current: () => session,
    onSession: (credentials) => heard.push(credentials),
    onEnd: (reason) => heard.push(reason),
  })
  onTestFinished(() => tabs.close())
  return { tabs, heard }
}

test('a session is stored for the tab, or for the browser if it should last, and replaces the last one', () => {
  expect(loadCredentials()).toBeNull()
  saveCredentials(own, true)
  expect([localStorage.getItem('tidemark'), sessionStorage.getItem('tidemark')]).toEqual([JSON.stringify(own), null])
  expect(loadCredentials()).toEqual(own)
  saveCredentials(other, false)
  expect([localStorage.getItem('tidemark'), sessionStorage.getItem('tidemark')]).toEqual([null, JSON.stringify(other)])
  expect(loadCredentials()).toEqual(other)
  clearCredentials()
  expect(loadCredentials()).toBeNull()
})

test('a session of another tab is joined without changing the stored one, and has precedence', () => {
  saveCredentials(own, true)
  joinCredentials(other)
  expect([loadCredentials(), localStorage.getItem('tidemark')]).toEqual([other, JSON.stringify(own)])
  clearCredentials()
  expect([localStorage.getItem('tidemark'), sessionStorage.getItem('tidemark')]).toEqual([null, null])
})

test('servers below different base paths have separate sessions', () => {
  saveCredentials(own, true)
  loadPage('/other')
  expect(loadCredentials()).toBeNull()
})

test('the code of a one-time link is removed from the URL', () => {
  const replaced: unknown[] = []
  vi.stubGlobal('history', { replaceState: (...given: unknown[]) => replaced.push(given[2]) })
  vi.stubGlobal('location', { hash: '#code=abc', pathname: '/checks', search: '?tag=web' })
  expect([takeCode(), replaced]).toEqual(['abc', ['/checks?tag=web']])
  vi.stubGlobal('location', { hash: '#other', pathname: '/', search: '' })
  expect([takeCode(), replaced.length]).toEqual([null, 1])
})

test('a code is exchanged for a session', async () => {
  const asked = answerPage(() => own)
  expect(await redeem('abc')).toEqual(own)
  expect(asked).toMatchObject([{ path: '/sign-in', body: { code: 'abc' } }])
})

test('a tab without a session gets that of another one', async () => {
  openTab(own)
  const asking = openTab(null)
  asking.tabs.ask()
  await expect.poll(() => asking.heard).toEqual([own])
})

test('a tab that signs in sends its session only to tabs without one', async () => {
  const [without, signedIn, telling] = [openTab(null), openTab(other), openTab(own)]
  telling.tabs.sendSession(own)
  await expect.poll(() => without.heard).toEqual([own])
  expect(signedIn.heard).toEqual([])
})

test('signing out ends the same session in all tabs, with its reason', async () => {
  const tabs = [openTab(own), openTab({ ...own, account: 'other' }), openTab(other), openTab(null)]
  openTab(own).tabs.sendEnd(own, 'revoked')
  await expect.poll(() => tabs[0]?.heard).toEqual(['revoked'])
  openTab(own).tabs.sendSession(other)
  await expect.poll(() => tabs[3]?.heard).toEqual([other])
  expect(tabs.slice(1, 3).map(({ heard }) => heard)).toEqual([[], []])
})
