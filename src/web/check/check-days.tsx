import type { Check } from '../api/answers.ts'
import { anyOutage } from '../outages/outage-query.ts'
import { daysOf } from '../overview/days.ts'
import { DaysPanel } from '../overview/days-panel.tsx'
import { loadCheckDays } from '../overview/load-figures.ts'
import { useDays } from '../overview/use-days.ts'
import { type Route, withQuery } from '../state/route.tsx'
import { windowChanges } from '../state/window.ts'

/** Ninety days of a check. Each day links to its charts. */
export function CheckDays({ check, route }: { readonly check: Check; readonly route: Route }) {
  const days = useDays({
    name: `days of ${check.id}`,
    checks: () => check.id,
    load: (api, days, signal) => loadCheckDays(api, check.id, days, signal),
  })
  const strip = {
    name: check.name,
    days: days.data && daysOf(days.data.get(null) ?? [], days.now),
    outages: { ...anyOutage, checkId: check.id },
    hrefOf: ({ from, to }: { readonly from: number; readonly to: number }) => withQuery(route, windowChanges({ from, to })),
  }
  return <DaysPanel alone of={days} strips={[strip]} />
}
