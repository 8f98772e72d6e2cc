import type { Route } from '../state/route.tsx'
import { windowFault } from '../state/window.ts'
import { readerZone, refusedZone } from '../state/zone.ts'
import { Notice } from './notice.tsx'

/** Says that the address asks for a window or a zone that there is not; parameters of SLOs are the API's to judge. */
export function WindowNotice({ route }: { readonly route: Route }) {
  const fault = route.path.startsWith('/slos') ? null : windowFault(route.query)
  if (fault === null) return <ZoneNotice />
  return (
    <div class="window-notice">
      <Notice alert title={fault}>
        A window is a quickRange, or from and to: dates such as 2026-11-10, times such as 2026-11-10T08:00:00Z, or Unix seconds or
        milliseconds.
      </Notice>
    </div>
  )
}

/** Says that days are not those of the zone that they should be of. */
function ZoneNotice() {
  const zone = refusedZone()
  if (zone === null) return null
  return (
    <div class="window-notice">
      <Notice title={`The server does not know the time zone ${zone}: its list of zones is older than that of this browser.`}>
        Times and days are those of {readerZone()}. Another one can be chosen at the top of the page.
      </Notice>
    </div>
  )
}
