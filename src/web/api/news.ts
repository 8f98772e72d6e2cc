import type { CheckStatus, RunResult, State } from './answers.ts'
import type { StreamEvent } from './read-events.ts'

/** The status of every check of the account, by id. */
export type States = ReadonlyMap<string, CheckStatus>

/** The checks and alerts shown by a view, whose news it follows. */
export type Watched = { readonly checks: ReadonlySet<string> | 'all'; readonly alerts: boolean }

export const nothingWatched: Watched = { checks: new Set(), alerts: false }

/** The effect of an event: whether shown data has news, and whether states of checks may have changed. */
type Tidings = { readonly isNews: boolean; readonly isChange: boolean }

type Outcome = Pick<RunResult, 'runLocation' | 'hasFailures' | 'isDegraded'> & { readonly checkId: string }

const nothing: Tidings = { isNews: false, isChange: false }
const anything: Tidings = { isNews: true, isChange: true }

/** Interprets the stream events of one account. */
export function createNewsReader(): (event: StreamEvent, watched: Watched, states: States | undefined) => Tidings {
  const outcomes = new Map<string, State>()
  let wasOpen = false
  const ofResult = (result: Outcome, { checks }: Watched, states: States | undefined): Tidings => {
    const key = `${result.checkId} ${result.runLocation}`
    const outcome = stateAfter(result)
    // A state may differ from the outcome permanently, as for a paused check. The remembered outcome avoids reloading it after each result.
    const isChange = (outcomes.get(key) ?? locationState(states, result)) !== outcome
    outcomes.set(key, outcome)
    return { isNews: checks === 'all' || checks.has(result.checkId), isChange }
  }
  return ({ event, data }, watched, states) => {
    if (event === 'result') return ofResult(JSON.parse(data) as Outcome, watched, states)
    if (event === 'alert' || event === 'delivery') return { isNews: watched.alerts, isChange: false }
    if (event === 'reset') return anything
    if (event !== 'open') return nothing
    // Events between two streams are lost, so anything may have changed.
    const isFirst = !wasOpen
    wasOpen = true
    return isFirst ? nothing : anything
  }
}

function stateAfter({ hasFailures, isDegraded }: Outcome): State {
  if (hasFailures) return 'failing'
  return isDegraded ? 'degraded' : 'passing'
}

function locationState(states: States | undefined, { checkId, runLocation }: Outcome): State | undefined {
  return states?.get(checkId)?.locations.find((location) => location.runLocation === runLocation)?.state
}

/** Whether two sets of states have the same checks with the same names. */
export function areSameChecks(one: States, other: States): boolean {
  return one.size === other.size && [...one].every(([id, { name }]) => other.get(id)?.name === name)
}

/** In larger accounts, the stream only has the results of shown checks. */
export const mostStreamed = 1000

/** The stream's query for a view of an account with this many checks. */
export function streamQuery({ checks }: Watched, count: number): string {
  if (count <= mostStreamed) return 'events=results,alerts'
  if (checks === 'all' || checks.size === 0) return 'events=alerts'
  return `events=results,alerts&checkId=${[...checks].join()}`
}
