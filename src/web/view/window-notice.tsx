import type { Route } from '../state/route.tsx'
import { windowFault } from '../state/window.ts'
import { readerZone, refusedZone } from '../state/zone.ts'
import { Notice } from './notice.tsx'

/** Reports an invalid window or zone in the URL. The API validates the parameters of SLOs. */
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

/** Reports that times and days are shown in a replacement zone, because the server does not know the wanted one. */
function ZoneNotice() {
  const zone = refusedZone()
  if (zone === null) return null
  return (
    <div class="window-notice">
      <Notice title={`The server does not support the time zone ${zone}: its time zone data is older than that of this browser.`}>
        Times and days are in {readerZone()}. Choose another zone at the top of the page.
      </Notice>
    </div>
  )
}
