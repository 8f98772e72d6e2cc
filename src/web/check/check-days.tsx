import type { Check } from '../api/answers.ts'
import { anyOutage } from '../outages/outage-query.ts'
import { DayLegend, DayStrips } from '../overview/day-strips.tsx'
import { daysOf, daysShown } from '../overview/days.ts'
import { loadCheckDays } from '../overview/load-figures.ts'
import { useDays } from '../overview/use-days.ts'
import { type Route, withQuery } from '../state/route.tsx'
import { windowChanges } from '../state/window.ts'
import { ProblemNotice } from '../view/notice.tsx'

/** Ninety days of a check; each leads to its charts. */
export function CheckDays({ check, route }: { readonly check: Check; readonly route: Route }) {
  const days = useDays(`days of ${check.id}`, (api, asked, signal) => loadCheckDays(api, check.id, asked, signal))
  const { data, problem, now } = days
  const strip = {
    name: check.name,
    days: data && daysOf(data, now),
    outages: { ...anyOutage, checkId: check.id },
    hrefOf: ({ from, to }: { readonly from: number; readonly to: number }) => withQuery(route, windowChanges({ from, to })),
  }
  return (
    <section class="panel" data-panel="days" aria-busy={data === undefined && problem === undefined}>
      <header>
        <h2>{daysShown} days</h2>
        <DayLegend />
      </header>
      <ProblemNotice of={days} />
      <DayStrips alone strips={[strip]} />
    </section>
  )
}
