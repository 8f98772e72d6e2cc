import { useEffect, useState } from 'preact/hooks'
import type { Route } from './route.tsx'

const storageKey = 'tidemark-zone'
const chosenEvent = 'tidemark:zone'

/** What is shown at the moment: a zone that was chosen or that the URL names, or null for that of this computer. */
let shown: string | null = null
let own = { offset: Number.NaN, name: 'UTC' }

/** The zone that times and days are shown in. */
export function readerZone(): string {
  return shown ?? ownZone()
}

/** The zone of this computer, which may travel while a tab is open. */
export function ownZone(): string {
  const offset = new Date().getTimezoneOffset()
  if (offset !== own.offset) own = { offset, name: Intl.DateTimeFormat().resolvedOptions().timeZone ?? 'UTC' }
  return own.name
}

/** The zone that the browser remembers beyond the session; null for that of this computer. */
export function chosenZone(): string | null {
  const stored = localStorage.getItem(storageKey)
  return stored !== null && isZone(stored) ? stored : null
}

export function chooseZone(zone: string | null): void {
  if (zone === null) localStorage.removeItem(storageKey)
  else localStorage.setItem(storageKey, zone)
  window.dispatchEvent(new Event(chosenEvent))
}

/** Shows the zone of the URL, or else the chosen one. Returns it. */
export function useReaderZone({ query }: Pick<Route, 'query'>): string {
  const [chosen, setChosen] = useState(chosenZone)
  useEffect(() => {
    const follow = () => setChosen(chosenZone())
    window.addEventListener(chosenEvent, follow)
    return () => window.removeEventListener(chosenEvent, follow)
  }, [])
  const linked = query.get('timezone')
  shown = linked !== null && isZone(linked) ? linked : chosen
  return shown ?? ''
}

/** Whether the browser knows a zone by that name. */
export function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name })
    return !/^[+-]/.test(name)
  } catch {
    return false
  }
}
