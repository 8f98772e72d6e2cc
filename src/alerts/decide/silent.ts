import type { AlertRule } from '../../catalogue/policies/policies.ts'
import { minuteMs } from '../../time.ts'
import { manyRuns, neutral, type Reading } from './condition.ts'
import type { AgentFacts, DecideInput } from './input.ts'
import { plainSubject, type SubjectFinding } from './subjects.ts'

type SilentFinding = SubjectFinding & {
  /** The silent location, or the location of the silent agent. */
  readonly location: string
  /** When to read again without a new event; null for never. */
  readonly at: number | null
}

/** A location, as seen from the checks there that a rule selects. */
type SelectedLocation = {
  readonly name: string
  /** The period of the most frequent check. */
  readonly periodMs: number
  /** When the newest result started; minus infinity without any. */
  readonly newestAt: number
  readonly expected: Expected[]
  readonly hasAgents: boolean
}

/** Since when results of a check are expected, and how often. */
type Expected = { readonly since: number; readonly periodMs: number }

/** Agents report every 10 s, and processes relay that every 15 s. */
const leastSilenceMs = minuteMs
/** Results that started this long after the last report of an agent are not its own. */
const othersAfterMs = 15_000
/** Grace after a start, when nothing has reported yet. */
const longestGraceMs = 10 * minuteMs

/** Findings of a rule about silence: one for each location of the checks that it selects, and one for each agent there. */
export function silentFindings(rule: AlertRule, input: DecideInput): readonly SilentFinding[] {
  return placesOf(rule, input).flatMap((place) => {
    const location = locationFinding(rule, place, input)
    const agents = place.hasAgents ? input.agents(place.name) : []
    return [location, ...agents.map((agent) => agentFinding(rule, { agent, place, location }, input))]
  })
}

function placesOf(rule: AlertRule, { plan, facts, now }: DecideInput): readonly SelectedLocation[] {
  const places = new Map<string, SelectedLocation>()
  for (const check of plan.selected.get(rule) ?? []) {
    if (!check.activated) continue
    const periodMs = check.everyMs * (check.runParallel ? 1 : Math.max(1, check.locations.length))
    for (const name of check.locations) {
      const newestAt = facts.newestAt(check.id, name) ?? Number.NEGATIVE_INFINITY
      const changedAt = facts.expectedSince(check.id, name)
      // A change counts from its time, unless the clock was set back since.
      const since = changedAt !== null && changedAt <= now ? Math.max(changedAt, check.createdAt) : check.createdAt
      const known = places.get(name) ?? { name, periodMs, newestAt, expected: [], hasAgents: false }
      known.expected.push({ since, periodMs })
      places.set(name, {
        ...known,
        periodMs: Math.min(known.periodMs, periodMs),
        newestAt: Math.max(known.newestAt, newestAt),
        hasAgents: known.hasAgents || check.agentLocations.includes(name),
      })
    }
  }
  return [...places.values()]
}

function locationFinding({ group }: AlertRule, place: SelectedLocation, input: DecideInput): SilentFinding {
  const { name, periodMs, newestAt } = place
  const subject = { ...plainSubject, condition: 'silent', subject: name, name, key: group.by === 'tag' ? '' : name } as const
  return { location: name, subject, ...silenceReading({ lastAt: newestAt, silentAfterMs: 2 * periodMs, silentAt: silentAt(place) }, input) }
}

/** A check shows that its location is silent once nothing has come for two of its periods since it is expected to run. */
function silentAt({ newestAt, expected }: SelectedLocation): number {
  return expected.reduce((at, { since, periodMs }) => Math.min(at, Math.max(newestAt, since) + 2 * periodMs), Number.POSITIVE_INFINITY)
}

type PlacedAgent = { readonly agent: AgentFacts; readonly place: SelectedLocation; readonly location: SilentFinding }

/** If no other result has arrived since, the whole location may be silent, which is reported once. */
function agentFinding({ group }: AlertRule, { agent, place, location }: PlacedAgent, input: DecideInput): SilentFinding {
  const { instance, name, lastAt, forgottenAt } = agent
  const own = `agent ${place.name} ${instance}`
  const subject = {
    ...plainSubject,
    condition: 'silent',
    subject: own,
    name: `Agent ${name ?? instance} of ${place.name}`,
    key: group.by === 'tag' ? '' : group.by === 'location' ? place.name : own,
    reason: `Other agents of ${place.name} run its checks.`,
  } as const
  const found = silenceReading({ lastAt, silentAfterMs: Math.max(2 * place.periodMs, leastSilenceMs) }, input)
  const isAlone = location.reading.status === 'holds' || place.newestAt < lastAt + othersAfterMs
  if (found.reading.status === 'holds' && isAlone)
    return { location: place.name, subject, reading: neutral, at: location.at ?? forgottenAt }
  return { location: place.name, subject, ...found, at: found.at ?? forgottenAt }
}

type LastReport = {
  /** Minus infinity without any. */
  readonly lastAt: number
  readonly silentAfterMs: number
  /** When silence can be told at the earliest. */
  readonly silentAt?: number
}

function silenceReading(
  { lastAt, silentAfterMs, silentAt = lastAt + silentAfterMs }: LastReport,
  { now, watchingSince }: Pick<DecideInput, 'now' | 'watchingSince'>,
): { readonly reading: Reading; readonly at: number | null } {
  if (now < lastAt + silentAfterMs) return { reading: { status: 'clear', since: lastAt, runs: manyRuns }, at: silentAt }
  if (now < silentAt) return { reading: neutral, at: silentAt }
  const graceEnd = watchingSince + Math.min(silentAfterMs, longestGraceMs)
  if (now >= watchingSince && now < graceEnd) return { reading: neutral, at: graceEnd }
  const since = lastAt === Number.NEGATIVE_INFINITY ? silentAt - silentAfterMs : lastAt
  return { reading: { status: 'holds', since, runs: manyRuns }, at: null }
}
