import { useEffect, useState } from 'preact/hooks'
import type { Route } from './route.tsx'
import { isZone, readerZone, refusedZone, refuseZone, showZone } from './zone.ts'

const storageKey = 'tidemark-zone'
const changedEvent = 'tidemark:zone'

/** The zone stored in the browser beyond the session; null for the zone of this computer. */
export function chosenZone(): string | null {
  const stored = localStorage.getItem(storageKey)
  return stored !== null && isZone(stored) ? stored : null
}

export function chooseZone(zone: string | null): void {
  if (zone === null) localStorage.removeItem(storageKey)
  else localStorage.setItem(storageKey, zone)
  window.dispatchEvent(new Event(changedEvent))
}

/** Replaces a zone that the server does not know. */
export function replaceZone(unknown: string): void {
  refuseZone(unknown)
  window.dispatchEvent(new Event(changedEvent))
}

/** Applies the zone of the URL, else the chosen zone. Returns a key that changes with the shown zone. */
export function useReaderZone({ query }: Pick<Route, 'query'>): string {
  const [, setChanges] = useState(0)
  useEffect(() => {
    const follow = () => setChanges((count) => count + 1)
    window.addEventListener(changedEvent, follow)
    return () => window.removeEventListener(changedEvent, follow)
  }, [])
  const linked = query.get('timezone')
  const zone = linked !== null && isZone(linked) ? linked : chosenZone()
  showZone(zone)
  return `${readerZone()} ${refusedZone() ?? ''}`
}
