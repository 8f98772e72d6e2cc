import type { Window } from '../../calendar/window.ts'
import type { Check } from '../../catalogue/catalogue.ts'
import { isoText } from '../../time.ts'
import type { AlertPlan } from '../decide/plan.ts'
import type { AlertHistory } from '../outbox/alert-history.ts'

/** Limits of a replay of this window, as sentences. */
export function historyNotes(
  { policies, selected }: Pick<AlertPlan, 'policies' | 'selected'>,
  history: AlertHistory,
  { from }: Pick<Window, 'from'>,
): readonly string[] {
  const { since, watchedFrom } = history
  const agents = [...selected].some(([{ when }, checks]) => when.kind === 'silent' && checks.some(isRunByAgents))
    ? ['Reports of single agents are not recorded: only the silence of whole locations is replayed.']
    : []
  if (since === null) return ['There is no record of silences, acknowledgements and canaries here: none of them are applied.', ...agents]
  const incomplete =
    from < since ? [`Silences and acknowledgements are recorded from ${isoText(since)} on: earlier ones may be missing.`] : []
  const canaries = policies.canaries.flatMap(({ location }) => {
    const known = watchedFrom[location]
    if (known === undefined) return [`Whether ${location} could reach its canaries is not known: it counts as reachable.`]
    return from < known
      ? [`Whether ${location} could reach its canaries is known from ${isoText(known)} on: before, it counts as reachable.`]
      : []
  })
  return [...incomplete, ...canaries, ...agents]
}

const isRunByAgents = ({ agentLocations }: Check) => agentLocations.length > 0
