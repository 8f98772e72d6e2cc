import type { Window } from '../../calendar/window.ts'
import { isoText } from '../../time.ts'
import type { AlertPlan } from '../decide/plan.ts'
import type { AlertHistory } from '../outbox/alert-history.ts'

/** What a replay cannot know of its window, in words. */
export function historyNotes(
  { policies }: Pick<AlertPlan, 'policies'>,
  history: AlertHistory,
  { from }: Pick<Window, 'from'>,
): readonly string[] {
  const { since, watchedFrom } = history
  if (since === null) return ['There is no record of silences, acknowledgements and canaries here: none of them are applied.']
  const incomplete =
    from < since ? [`Silences and acknowledgements are recorded from ${isoText(since)} on: earlier ones may be missing.`] : []
  const canaries = policies.canaries.flatMap(({ location }) => {
    const known = watchedFrom[location]
    if (known === undefined) return [`Whether ${location} could reach its canaries is not known: it counts as reachable.`]
    return from < known
      ? [`Whether ${location} could reach its canaries is known from ${isoText(known)} on: before, it counts as reachable.`]
      : []
  })
  return [...incomplete, ...canaries]
}
