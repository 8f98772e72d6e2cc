import { minuteMs } from '../../time.ts'
import type { Check, CheckStatus, LocationEntry } from '../api/answers.ts'
import { elapsed } from '../view/elapsed.ts'
import { instantText } from '../view/time.tsx'

/** Why a check has no results, and what to do about it. */
type SilenceReason = { readonly why: string; readonly next: string }

type Silent = {
  readonly check: Pick<Check, 'activated' | 'created_at' | 'frequency' | 'locations'>
  readonly status: Pick<CheckStatus, 'lastCheckRunId' | 'updated_at'>
  /** Whether results are pings of a job. */
  readonly pinged: boolean
  readonly locations: readonly LocationEntry[]
  readonly now: number
}

const startMs = minuteMs

/** One entry per possible cause, the likely ones first. */
export function whySilent({ check, status, pinged, locations, now }: Silent): readonly SilenceReason[] {
  const last = status.lastCheckRunId === null ? null : Date.parse(status.updated_at)
  if (!check.activated) return [{ why: 'It is paused.', next: 'Resume it; for a check of the config file, remove activated: false there.' }]
  if (pinged) return [silentJob(last, now)]
  const firstRun = Date.parse(check.created_at) + Math.max(1, check.frequency) * minuteMs
  if (last === null && now < firstRun + startMs)
    return [
      {
        why: `It was added ${elapsed(now - Date.parse(check.created_at))} ago.`,
        next: `Its first run is expected by ${instantText(firstRun)}.`,
      },
    ]
  const own = locations.filter(({ location }) => check.locations.includes(location))
  const found = own.map((entry) => silentLocation(entry, now)).sort((a, b) => Number(a.isServer) - Number(b.isServer))
  return found.map(({ why, next }) => ({ why, next }))
}

function silentJob(last: number | null, now: number): SilenceReason {
  const why = last === null ? 'No ping has arrived yet.' : `The last ping arrived ${elapsed(now - last)} ago.`
  return { why, next: 'Call its URL from the job after each success.' }
}

function silentLocation({ location, runBy, runsHere, agents }: LocationEntry, now: number): SilenceReason & { readonly isServer: boolean } {
  if (runBy === 'none') {
    const next = 'Start an agent there, or add the location to runner.locations in the config file.'
    return { why: `Nothing runs the checks at ${location}.`, next, isServer: false }
  }
  if (runBy === 'server' && !runsHere) {
    const next = 'It was started with --no-runner, or for other locations only. Start one that runs them, or check its log.'
    return { why: `This server does not run the checks at ${location}.`, next, isServer: false }
  }
  if (runBy === 'server') {
    const next = 'Check its log for the reason.'
    return { why: `The server runs the checks at ${location}.`, next, isServer: true }
  }
  const live = agents.find(({ state }) => state === 'live')
  if (live) {
    const next = live.backlog > 0 ? `${live.backlog} of its results are not delivered yet.` : 'Check the log of the agent for the reason.'
    return { why: `The agent ${live.name ?? live.instance} runs the checks at ${location}.`, next, isServer: false }
  }
  const newest = Math.max(...agents.map(({ lastContact }) => Date.parse(lastContact)))
  const contact = agents.length === 0 ? 'No agent has reported from' : `For ${elapsed(now - newest)} no agent has reported from`
  return { why: `${contact} ${location}.`, next: 'Start its agent, or check its log.', isServer: false }
}
