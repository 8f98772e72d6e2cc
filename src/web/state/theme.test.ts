import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { chooseTheme, chosenTheme, startTheme } from './theme.ts'

const stored = new Map<string, string>()
const preference = Object.assign(new EventTarget(), { matches: false })
const page = { documentElement: { dataset: {} as { theme?: string } } }
const asked: string[] = []

beforeEach(() => {
  stored.clear()
  preference.matches = false
  page.documentElement.dataset = {}
  vi.stubGlobal('localStorage', {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, value: string) => stored.set(name, value),
    removeItem: (name: string) => stored.delete(name),
  })
  vi.stubGlobal('matchMedia', (query: string) => {
    asked.push(query)
    return preference
  })
  vi.stubGlobal('document', page)
  vi.stubGlobal('window', new EventTarget())
  onTestFinished(() => void vi.unstubAllGlobals())
})

const prefer = (dark: boolean) => {
  preference.matches = dark
  preference.dispatchEvent(new Event('change'))
}
const shown = () => page.documentElement.dataset.theme

test('the theme follows the system until one is chosen', () => {
  startTheme()
  expect([chosenTheme(), shown()]).toEqual(['system', 'light'])
  expect(asked).toContain('(prefers-color-scheme: dark)')
  prefer(true)
  expect(shown()).toBe('dark')
  chooseTheme('light')
  expect([chosenTheme(), shown()]).toEqual(['light', 'light'])
  prefer(false)
  chooseTheme('dark')
  expect([chosenTheme(), shown()]).toEqual(['dark', 'dark'])
})

test('the chosen theme is stored by the browser, and removed when the system is chosen', () => {
  chooseTheme('dark')
  expect([...stored.values()]).toEqual(['dark'])
  chooseTheme('system')
  expect([[...stored], chosenTheme(), shown()]).toEqual([[], 'system', 'light'])
  stored.set('tidemark-theme', 'purple')
  expect(chosenTheme()).toBe('system')
})

test('a change emits an event for what style sheets do not reach', () => {
  const heard = vi.fn()
  window.addEventListener('tidemark:scheme', heard)
  chooseTheme('dark')
  expect(heard).toHaveBeenCalledOnce()
})
