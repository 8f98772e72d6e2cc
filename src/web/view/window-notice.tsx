import type { Route } from '../state/route.tsx'
import { windowFault } from '../state/window.ts'
import { Notice } from './notice.tsx'

/** Says that the address asks for a window or a zone that there is not; parameters of SLOs are the API's to judge. */
export function WindowNotice({ route }: { readonly route: Route }) {
  const fault = route.path.startsWith('/slos') ? null : windowFault(route.query)
  if (fault === null) return null
  return (
    <div class="window-notice">
      <Notice alert title={fault}>
        A window is a quickRange, or from and to: dates such as 2026-11-10, times such as 2026-11-10T08:00:00Z, or Unix seconds or
        milliseconds.
      </Notice>
    </div>
  )
}
