import { anyOutage } from '../outages/outage-query.ts'
import { OutagesPanel } from '../outages/outages-panel.tsx'
import type { Route } from '../state/route.tsx'
import type { PanelContext } from './panel.ts'

const firstShown = 10

type OutagesProps = {
  readonly context: PanelContext
  readonly route: Route
  readonly now: number
  /** Runs of the window; undefined until loaded. */
  readonly runs: number | undefined
}

export function CheckOutages({ context: { check, state }, route, now, runs }: OutagesProps) {
  return (
    <OutagesPanel
      filter={{ ...anyOutage, checkId: check.id }}
      window={state.window}
      check={route}
      name={check.name}
      first={firstShown}
      none={runs === 0 ? 'No runs in this window.' : 'No outages in this window.'}
      now={now}
    />
  )
}
