import type { AlertRule, AlertStep } from '../../catalogue/policies/policies.ts'
import { dayMs } from '../../time.ts'
import { type AlertState, isOpen, subjectKey } from './alert-state.ts'
import { composeMessage, type Saying } from './compose.ts'
import { boundBy, type Current, currentOf, isQuiet, missedMembers, saysTheSame } from './current.ts'
import { digestEveryMs, digestWaitMs } from './digest.ts'
import type { Draft } from './draft.ts'
import { flappingMs } from './flapping.ts'
import type { DecideInput } from './input.ts'
import { memberOf } from './member-index.ts'
import type { Incident, Member, Notified } from './model.ts'
import { type Stance, stanceOf } from './stance.ts'
import { accessOf } from './steps.ts'

export type Scene = {
  readonly input: DecideInput
  readonly state: AlertState
  readonly draft: Draft
  readonly incident: Incident
  readonly rule: AlertRule | undefined
  readonly steps: readonly AlertStep[]
  readonly stances: ReadonlyMap<string, Stance>
}

export function sceneOf(input: DecideInput, state: AlertState, draft: Draft, incident: Incident): Scene {
  const stances = new Map(incident.members.map((member) => [member.subject, stanceOf(input, draft, incident, member)]))
  const rule = input.plan.rules.get(incident.rule)
  const rules = incident.condition === 'location' ? (input.plan.rulesByLocation.get(incident.key) ?? []) : rule ? [rule] : []
  return { input, state, draft, incident, rule, stances, steps: rules.flatMap(({ steps }) => steps) }
}

/** Compares an incident with what each channel was notified of. Returns when to compare again without a new event, or null. */
export function compareIncident(scene: Scene): number | null {
  const { input, state, draft, incident, steps, stances } = scene
  const [notified, inFlight] = [state.notified.get(incident.id), state.inFlight.get(incident.id)]
  const channels = new Set([...steps.flatMap(({ to }) => to), ...(notified?.keys() ?? []), ...(inFlight?.keys() ?? [])])
  let due = earliest(Array.from(stances.values(), ({ until }) => until))
  let areAllNotified = true
  let isRemembered = false
  for (const channel of channels) {
    if (!input.plan.channels.has(channel)) {
      isRemembered ||= believesAny(notified?.get(channel))
      continue
    }
    const outcome = compareChannel(scene, channel)
    due = earliest([due, outcome.at])
    areAllNotified &&= outcome.isDone
  }
  if (incident.closedAt === null) return due
  const keepUntil = incident.closedAt + (isRemembered ? rememberMs : flappingMs)
  if (input.now < keepUntil) return earliest([due, keepUntil])
  if (areAllNotified && !state.inFlight.has(incident.id)) draft.finish(incident.id)
  return due
}

/** A channel that returns to the config file within this time is notified of problems that ended in between. */
const rememberMs = 7 * dayMs

const believesAny = (notified: Notified | undefined) => notified !== undefined && notified.open.length + notified.flapping.length > 0

export function neverNotified(incident: string, channel: string): Notified {
  return { incident, channel, open: [], flapping: [], firstAt: null, lastAt: null, reminders: 0, dropped: false }
}

type Outcome = { readonly at: number | null /** Whether the channel believes nothing to be open. */; readonly isDone: boolean }

function compareChannel(whole: Scene, channel: string): Outcome {
  const { input, state, draft, incident, steps } = whole
  const notified = draft.notified(incident.id, channel) ?? neverNotified(incident.id, channel)
  const isDone = !believesAny(notified)
  const current = currentOf(whole, notified, state.inFlight.get(incident.id)?.get(channel))
  if (notified.dropped || current?.progress === 'attempting') return { at: null, isDone }
  const scene = current ? whole : behindEarlier(whole, channel)
  const access = accessOf(steps, channel, incident, input.now)
  if (access.code === 'dropped' && notified.firstAt === null && !current?.isOwed) draft.putNotified({ ...notified, dropped: true })
  const mayHear = access.code === 'active' || ((notified.firstAt !== null || current?.isOwed) && access.code !== 'held')
  if (!mayHear) {
    if (current?.isOwed) draft.hold(current.delivery, true)
    else if (current) draft.supersede(current.delivery)
    return { at: access.at, isDone }
  }
  const next = nextSaying(scene, notified, { current, mayOpen: access.code !== 'none' })
  deliver(scene, { channel, notified, current, saying: next.saying })
  return { at: earliest([access.at, next.at]), isDone }
}

/** Keeps order: messages of an earlier incident about a subject are delivered before those of this one. */
function behindEarlier(scene: Scene, channel: string): Scene {
  const { state, draft, incident } = scene
  const isNotifying = (id: string) => state.inFlight.get(id)?.has(channel) || draft.sends(id, channel)
  const believed = new Map<string, ReadonlySet<string>>()
  const isBelieved = (id: string, subject: string) => {
    const open = believed.get(id) ?? new Set(draft.notified(id, channel)?.open)
    believed.set(id, open)
    return open.has(subject)
  }
  const isBehind = (member: Member) => {
    const others = [...(state.ofSubject.get(subjectKey(incident, member.subject)) ?? [])].filter((id) => id !== incident.id)
    return others.some((id) => {
      const other = draft.incident(id)
      return isEarlier(other && memberOf(other, member.subject), member) && (isNotifying(id) || isBelieved(id, member.subject))
    })
  }
  const same = incident.members
    .filter(isBehind)
    .map(({ subject }): [string, Stance] => [subject, { wants: 'same', why: null, until: null }])
  return same.length === 0 ? scene : { ...scene, stances: new Map([...scene.stances, ...same]) }
}

/** Compares ends instead of beginnings, since the clock may have been set back. */
function isEarlier(other: Member | undefined, member: Member): boolean {
  if (other === undefined || other.closedAt === null) return false
  return member.closedAt === null || other.closedAt < member.closedAt
}

type Plan = Saying & {
  readonly notifiedAfter: Pick<Notified, 'open' | 'flapping'> /** Subjects that began and ended. */
  readonly missed: readonly string[]
}
type Next = { readonly saying: Plan | 'keep' | 'hold' | null; readonly at: number | null }
type Circumstances = { readonly current: Current | undefined; readonly mayOpen: boolean }

function nextSaying(scene: Scene, notified: Notified, { current, mayOpen }: Circumstances): Next {
  const bound = current ? boundBy(scene, current) : null
  if (bound !== null)
    return { saying: bound === 'missed' && current ? missedSaying(scene, notified, current) : (bound as 'keep' | 'hold'), at: null }
  const change = changeToNotify(scene, notified, { current, mayOpen })
  if (change !== null) {
    const readyAt = current ? 0 : readyToNotify(scene, notified, change)
    if (isWithinWait(scene.input.now, readyAt, longestWaitMs(scene))) return { saying: null, at: readyAt }
    return { saying: change, at: null }
  }
  const missed = current ? missedSaying(scene, notified, current) : null
  if (missed !== null) return { saying: missed, at: null }
  return current && isQuiet(scene, current) ? { saying: 'hold', at: null } : reminderSaying(scene, notified)
}

function waitMs({ rule, incident }: Scene): number {
  if (incident.condition === 'location') return 0
  return Math.max(rule?.group.waitMs ?? 0, incident.isDigest ? digestWaitMs : 0)
}

/** Changes of a digest are sent once a minute. */
function readyToNotify(scene: Scene, { lastAt }: Notified, change: Plan): number {
  const first = firstChangeAt(change) + waitMs(scene)
  return scene.incident.isDigest && lastAt !== null ? Math.max(first, lastAt + digestEveryMs) : first
}

const longestWaitMs = (scene: Scene) => (scene.incident.isDigest ? Math.max(waitMs(scene), digestEveryMs) : waitMs(scene))

/** A clock that was set back does not prolong a wait. */
const isWithinWait = (now: number, readyAt: number, waitMs: number) => now < readyAt && now >= readyAt - waitMs

function firstChangeAt({ event, members, fresh }: Plan): number {
  if (event === 'flapping' || event === 'settled') return 0
  const times = members.flatMap((member) => (fresh.has(member.subject) ? member.openedAt : (member.closedAt ?? [])))
  return Math.min(...times)
}

/** The difference between the facts and what a channel believes; null if there is none. */
function changeToNotify(scene: Scene, notified: Notified, { current, mayOpen }: Circumstances): Plan | null {
  const { incident, stances } = scene
  const [believed, flapping] = [new Set(notified.open), new Set(notified.flapping)]
  const wants = ({ subject }: Member) => stances.get(subject)?.wants
  const isGone = ({ endedBy }: Member) => endedBy === 'paused' || endedBy === 'removed'
  const pick = (which: (member: Member) => boolean) => incident.members.filter(which)
  const flaps = mayOpen ? pick((member) => member.flappingSince !== null && wants(member) === 'open' && !flapping.has(member.subject)) : []
  if (flaps.length > 0)
    return plan(notified, { event: 'flapping', opened: flaps, ended: [], flapping: [...flapping, ...flaps.map(subjectOf)] })
  const isSettled = (member: Member) =>
    flapping.has(member.subject) && member.flappingSince === null && wants(member) !== 'same' && !isGone(member)
  const settled = pick(isSettled)
  if (settled.length > 0) {
    const left = without([...flapping], settled)
    return plan(notified, {
      event: 'settled',
      opened: settled.filter(isOpen),
      ended: settled.filter((member) => !isOpen(member)),
      flapping: left,
    })
  }
  const isNew = (member: Member) =>
    wants(member) === 'open' && member.flappingSince === null && !believed.has(member.subject) && !flapping.has(member.subject)
  const opened = mayOpen ? pick(isNew) : []
  const ended = pick(
    (member) => believed.has(member.subject) && wants(member) === 'closed' && (isGone(member) || !flapping.has(member.subject)),
  )
  if (opened.length + ended.length === 0) return null
  const left = without([...flapping], ended)
  return plan(notified, { event: null, opened, ended, missed: current ? missedMembers(scene, current) : [], flapping: left })
}

type Difference = {
  /** Null to derive the event from the last notification. */
  readonly event: 'flapping' | 'settled' | null
  readonly opened: readonly Member[]
  readonly ended: readonly Member[]
  /** Members that began and ended before a notification. */
  readonly missed?: readonly Member[]
  readonly flapping: readonly string[]
}

const subjectOf = ({ subject }: Member) => subject

function without(subjects: readonly string[], members: readonly Member[]): readonly string[] {
  const omitted = new Set(members.map(subjectOf))
  return subjects.filter((subject) => !omitted.has(subject))
}

function plan(notified: Notified, { event, opened, ended, missed = [], flapping }: Difference): Plan {
  const open = [...new Set([...without(notified.open, ended), ...opened.map(subjectOf)])]
  const implied = notified.firstAt === null && open.length > 0 ? 'open' : open.length === 0 ? 'close' : 'update'
  const believed = new Set(notified.open)
  const fresh = [...opened, ...missed].map(subjectOf).filter((subject) => !believed.has(subject))
  return {
    event: event ?? implied,
    members: [...opened, ...ended, ...missed],
    fresh: new Set(fresh),
    open: open.length,
    reminder: null,
    notifiedAfter: { open, flapping },
    missed: missed.map(subjectOf),
  }
}

/** Merges a failure and its recovery into one message if neither could be sent, or only one of them may have arrived. */
function missedSaying(scene: Scene, notified: Notified, current: Current): Plan | null {
  const members = missedMembers(scene, current)
  if (members.length === 0) return null
  const subjects = members.map(subjectOf)
  const { open, flapping } = notified
  const event = open.length === 0 ? 'missed' : 'update'
  return {
    event,
    members,
    fresh: new Set(subjects),
    open: open.length,
    reminder: null,
    notifiedAfter: { open, flapping },
    missed: subjects,
  }
}

function reminderSaying(scene: Scene, notified: Notified): Next {
  const { input, incident, stances } = scene
  const { open, flapping, lastAt, reminders } = notified
  const believed = new Set(open)
  const members = incident.members.filter(({ subject }) => believed.has(subject) && stances.get(subject)?.wants === 'open')
  const repeatMs = input.plan.channels.get(notified.channel) ?? null
  const remind = incident.acknowledged === null ? remindOf(scene, members) : null
  const everyMs = repeatMs ?? (remind && reminders < remind.times ? remind.everyMs : null)
  if (members.length === 0 || everyMs === null || lastAt === null) return { saying: null, at: null }
  const at = lastAt + everyMs
  if (input.now < at) return { saying: null, at }
  const reminder = repeatMs === null ? reminders + 1 : null
  const saying: Plan = {
    event: 'reminder',
    members,
    fresh: new Set(),
    open: open.length,
    reminder,
    notifiedAfter: { open, flapping },
    missed: [],
  }
  return { saying, at: null }
}

/** Checks of one incident have the same settings, except in a digest, where the first one decides. */
function remindOf({ input, rule }: Scene, members: readonly Member[]): AlertRule['remind'] {
  const [first] = members
  const own = rule && first ? (input.plan.rulesOf.get(first.checkId ?? '') ?? []).find(({ id }) => id === rule.id) : undefined
  return (own ?? rule)?.remind ?? null
}

type Channelled = {
  readonly channel: string
  readonly notified: Notified
  readonly current: Current | undefined
  readonly saying: Plan | 'keep' | 'hold' | null
}

function deliver({ input, draft, incident, rule }: Scene, { channel, notified, current, saying }: Channelled): void {
  const isKept = saying === 'keep' || saying === 'hold' || (saying !== null && current && saysTheSame(current.delivery, saying))
  if (isKept) {
    if (current) draft.hold(current.delivery, saying === 'hold')
    return
  }
  if (current) draft.supersede(current.delivery)
  if (saying === null) return
  const { notifiedAfter, reminder, missed } = saying
  if (rule?.omitsRecovery && isRecovery(saying)) {
    draft.putNotified({ ...notified, ...notifiedAfter })
    return
  }
  const after: Notified = {
    ...notified,
    ...notifiedAfter,
    firstAt: notified.firstAt,
    lastAt: input.now,
    reminders: reminder ?? notified.reminders,
  }
  const message = composeMessage(input, draft, incident, saying)
  const carried = missed.length > 0 ? { missed } : {}
  draft.send({ message, channel, incident: incident.id, notifiedAfter: after, ...carried, decidedAt: input.now })
}

/** Whether a message would report only ended problems. */
function isRecovery({ event, fresh, members }: Plan): boolean {
  return event !== 'flapping' && event !== 'reminder' && fresh.size === 0 && !members.some(isOpen)
}

export function earliest(times: readonly (number | null)[]): number | null {
  const known = times.filter((time) => time !== null)
  return known.length === 0 ? null : Math.min(...known)
}
