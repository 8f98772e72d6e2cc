import { useEffect, useMemo, useState } from 'preact/hooks'
import { chooseZone, chosenZone } from '../state/chosen-zone.ts'
import { navigate, type Route, withQuery } from '../state/route.tsx'
import { isZone, ownZone } from '../state/zone.ts'

/** Delay before loading all zone names, which are not needed immediately. */
const namesMs = 1500

/** Switches between local time, UTC and any other zone. The browser stores the choice; a zone in the URL takes precedence. */
export function ZoneSwitch({ route }: { readonly route: Route }) {
  const names = useZoneNames()
  const linked = route.query.get('timezone')
  const zone = linked !== null && isZone(linked) ? linked : chosenZone()
  const value = zone === null || (linked !== null && zone === ownZone()) ? '' : zone
  const pick = (next: string) => {
    chooseZone(next === '' ? null : next)
    if (linked !== null) navigate(withQuery(route, { timezone: next || ownZone() }), 'replace')
  }
  const options = useMemo(() => {
    const others = value === '' || value === 'UTC' || names.includes(value) ? names : [value, ...names]
    return others.map((name) => (
      <option key={name} value={name}>
        {name}
      </option>
    ))
  }, [names, value])
  return (
    <select class="zone-switch" aria-label="Time zone" value={value} onChange={(event) => pick(event.currentTarget.value)}>
      <option value="">Local time</option>
      <option value="UTC">UTC</option>
      {options}
    </select>
  )
}

function useZoneNames(): readonly string[] {
  const [names, setNames] = useState<readonly string[]>([])
  useEffect(() => {
    const timer = setTimeout(() => setNames(Intl.supportedValuesOf('timeZone').filter((name) => name !== 'UTC')), namesMs)
    return () => clearTimeout(timer)
  }, [])
  return names
}
