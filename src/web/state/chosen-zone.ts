import { useEffect, useState } from 'preact/hooks'
import type { Route } from './route.tsx'
import { isZone, showZone } from './zone.ts'

const storageKey = 'tidemark-zone'
const chosenEvent = 'tidemark:zone'

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
  const zone = linked !== null && isZone(linked) ? linked : chosen
  showZone(zone)
  return zone ?? ''
}
