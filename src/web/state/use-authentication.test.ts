import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { answerPage } from '../../../test/support/page-api.ts'
import { openHook, stopTime } from '../testing/open-hook.tsx'
import { loadCredentials, saveCredentials } from './credentials.ts'
import { connectTabs } from './tabs.ts'
import { useAuthentication } from './use-authentication.ts'

const own = { key: 'own-key', account: 'acme' }
const other = { key: 'other-key', account: 'acme' }
const soon = { interval: 5 }
const signedOut = { credentials: null, reason: null, waiting: false, canRemember: false }

beforeEach(() => {
  answerPage(() => Response.json({ message: 'This link was used.' }, { status: 400 }))
  for (const name of ['localStorage', 'sessionStorage']) {
    const stored = new Map<string, string>()
    vi.stubGlobal(name, {
      getItem: (key: string) => stored.get(key) ?? null,
      setItem: (key: string, value: string) => stored.set(key, value),
      removeItem: (key: string) => stored.delete(key),
    })
  }
})

/** Another tab, which records the messages it receives. */
function otherTab(session: typeof own | null) {
  const heard: unknown[] = []
  const tabs = connectTabs({ current: () => session, onSession: (got) => heard.push(got), onEnd: (reason) => heard.push(['end', reason]) })
  onTestFinished(() => tabs.close())
  return { tabs, heard }
}

function openPage(code: string | null = null) {
  const hook = openHook(() => useAuthentication(code))
  const now = () => {
    const { credentials, reason, waiting, canRemember } = hook.last()
    return { credentials, reason, waiting, canRemember }
  }
  return { hook, now, becomes: (state: object) => expect.poll(now, soon).toEqual({ ...signedOut, ...state }) }
}

test('a stored session is restored at once', async () => {
  saveCredentials(own, false)
  const { now, hook } = openPage()
  expect(now()).toEqual({ ...signedOut, credentials: own })
  await hook.settled()
  expect(now()).toEqual({ ...signedOut, credentials: own })
})

test('without one, other tabs are asked before the form is shown', async () => {
  stopTime()
  const { now } = openPage()
  await vi.advanceTimersByTimeAsync(300)
  expect(now()).toEqual({ ...signedOut, waiting: true })
  await vi.advanceTimersByTimeAsync(200)
  expect(now()).toEqual(signedOut)
  expect(loadCredentials()).toBeNull()
})

test('the session of another tab is taken over for this tab', async () => {
  otherTab(own)
  const { becomes } = openPage()
  await becomes({ credentials: own })
  expect([sessionStorage.getItem('tidemark'), localStorage.getItem('tidemark')]).toEqual([JSON.stringify(own), null])
})

test('the code of a link is exchanged, sent to other tabs, and can be stored for longer', async () => {
  answerPage(() => own)
  const { heard } = otherTab(null)
  const { hook, now, becomes } = openPage('abc')
  expect(now().waiting).toBe(true)
  await becomes({ credentials: own, canRemember: true })
  await expect.poll(() => heard, soon).toEqual([own])
  expect([sessionStorage.getItem('tidemark'), localStorage.getItem('tidemark')]).toEqual([JSON.stringify(own), null])
  hook.last().answerOffer(true)
  await becomes({ credentials: own })
  expect([sessionStorage.getItem('tidemark'), localStorage.getItem('tidemark')]).toEqual([null, JSON.stringify(own)])
})

test('a declined offer to remember stores nothing', async () => {
  answerPage(() => own)
  const { hook, becomes } = openPage('abc')
  await becomes({ credentials: own, canRemember: true })
  hook.last().answerOffer(false)
  await becomes({ credentials: own })
  expect(localStorage.getItem('tidemark')).toBeNull()
})

test('a used code is reported as such, unless there is a session', async () => {
  stopTime()
  const { now } = openPage('abc')
  await vi.advanceTimersByTimeAsync(500)
  expect(now()).toEqual({ ...signedOut, reason: 'This link was used.' })
  vi.useRealTimers()
  saveCredentials(own, false)
  const signedIn = openPage('abc')
  expect(signedIn.now()).toEqual({ ...signedOut, credentials: own, waiting: true })
  await signedIn.becomes({ credentials: own })
})

test('signing in lasts as long as chosen, and is sent to other tabs', async () => {
  const { heard } = otherTab(null)
  const { hook, becomes } = openPage()
  hook.last().signIn(own, true)
  await becomes({ credentials: own })
  await expect.poll(() => heard, soon).toEqual([own])
  expect(localStorage.getItem('tidemark')).toBe(JSON.stringify(own))
  hook.last().signIn(other, false)
  await becomes({ credentials: other })
  expect([sessionStorage.getItem('tidemark'), localStorage.getItem('tidemark')]).toEqual([JSON.stringify(other), null])
})

test.each([
  ['with its reason', 'The key was revoked.', 'The key was revoked.'],
  ['without one', undefined, null],
])('signing out ends the session in other tabs, %s', async (_, given, reason) => {
  saveCredentials(own, true)
  const { heard } = otherTab(own)
  const { hook, becomes } = openPage()
  hook.last().signOut(given)
  await becomes({ reason })
  await expect.poll(() => heard, soon).toEqual([['end', reason]])
  expect(loadCredentials()).toBeNull()
  hook.last().signOut()
  await hook.settled()
  expect(heard).toHaveLength(1)
})

test('a session that ends in another tab ends here', async () => {
  saveCredentials(own, true)
  const { becomes, hook } = openPage()
  await hook.settled()
  otherTab(own).tabs.sendEnd(own, 'revoked')
  await becomes({ reason: 'revoked' })
  expect(loadCredentials()).toBeNull()
})

test('a closed page receives no more messages', async () => {
  const { hook, now } = openPage()
  await hook.settled()
  hook.close()
  const { tabs, heard } = otherTab(null)
  otherTab(own).tabs.sendSession(own)
  await expect.poll(() => heard, soon).toEqual([own])
  expect([now().credentials, tabs]).toEqual([null, tabs])
})
