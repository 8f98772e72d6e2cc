import { isOpen } from './alert-state.ts'
import type { Saying } from './compose.ts'
import type { Progress } from './input.ts'
import type { Delivery, Incident, Member, Notified } from './model.ts'
import type { Stance } from './stance.ts'

/** The undelivered message about an incident to a channel. */
export type Current = {
  readonly delivery: Delivery
  readonly progress: Progress
  /** Subjects that it reports as open, and that the channel does not know yet. */
  readonly opened: ReadonlySet<string>
  /** Subjects whose state it changes in any other way. */
  readonly changed: ReadonlySet<string>
  /** Subjects that it reports as begun and ended. */
  readonly missed: ReadonlySet<string>
  /** Whether it must be delivered: an attempt may have arrived, or the channel may believe a problem to be open that this message ends. */
  readonly isOwed: boolean
}

type View = {
  readonly input: { readonly progress: (delivery: Delivery) => Progress }
  readonly incident: Incident
  readonly stances: ReadonlyMap<string, Stance>
}

export function currentOf({ input }: Pick<View, 'input'>, notified: Notified, delivery: Delivery | undefined): Current | undefined {
  if (!delivery) return undefined
  const progress = input.progress(delivery)
  const { notifiedAfter, missed = [] } = delivery
  const flapping = difference(notifiedAfter.flapping, notified.flapping)
  const opened = new Set([...difference(notifiedAfter.open, notified.open)].filter((subject) => !flapping.has(subject)))
  const changed = new Set([
    ...flapping,
    ...difference(notified.flapping, notifiedAfter.flapping),
    ...difference(notified.open, notifiedAfter.open),
  ])
  const isOwed = missed.length > 0 || (progress === 'uncertain' && opened.size + changed.size > 0)
  return { delivery, progress, opened, changed, missed: new Set(missed), isOwed }
}

/**
 * The next step of a message that must be delivered whatever the current facts are; null if the facts decide. `keep` retries it with the
 * same id, `hold` waits while all its subjects are quiet. `missed` replaces it by a message with beginning and end, once all problems that
 * it reports as open are over.
 */
export function boundBy({ incident, stances }: Pick<View, 'incident' | 'stances'>, current: Current): 'keep' | 'hold' | 'missed' | null {
  const { opened, changed, missed, isOwed, progress } = current
  if (!isOwed) return null
  const subjects = [...opened, ...changed, ...missed]
  if (subjects.every((subject) => stances.get(subject)?.wants === 'same')) return 'hold'
  const members = new Map(incident.members.map((member) => [member.subject, member]))
  const isOver = (subject: string) => {
    const member = members.get(subject)
    return member !== undefined && !isOpen(member) && stances.get(subject)?.wants === 'closed'
  }
  if (![...missed].every(isOver)) return 'keep'
  if (progress !== 'uncertain') return null
  return opened.size > 0 && changed.size === 0 && [...opened].every(isOver) ? 'missed' : 'keep'
}

/** Ended members that a pending message reports as open, or as begun and ended. */
export function missedMembers({ incident, stances }: Pick<View, 'incident' | 'stances'>, current: Current): readonly Member[] {
  const { opened, missed, progress } = current
  return incident.members.filter((member) => {
    const { subject, endedBy } = member
    if (isOpen(member) || stances.get(subject)?.wants !== 'closed') return false
    return missed.has(subject) || (opened.has(subject) && (endedBy === 'recovered' || progress === 'uncertain'))
  })
}

/** Whether all subjects of a message are muted, in maintenance or silenced. Such a message is held. */
export function isQuiet({ stances }: Pick<View, 'stances'>, { opened, changed }: Current): boolean {
  const subjects = [...opened, ...changed]
  const quiet: readonly (string | undefined)[] = ['muted', 'maintenance', 'silence']
  return subjects.length > 0 && subjects.every((subject) => quiet.includes(stances.get(subject)?.why?.code))
}

type MessageContent = Pick<Saying, 'event' | 'reminder'> & {
  readonly notifiedAfter: Pick<Notified, 'open' | 'flapping'>
  readonly missed: readonly string[]
}

export function saysTheSame({ message, notifiedAfter, missed = [] }: Delivery, saying: MessageContent): boolean {
  return (
    message.event === saying.event &&
    message.reminder === saying.reminder &&
    isSameSet(notifiedAfter.open, saying.notifiedAfter.open) &&
    isSameSet(notifiedAfter.flapping, saying.notifiedAfter.flapping) &&
    isSameSet(missed, saying.missed)
  )
}

function isSameSet(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && difference(a, b).size === 0
}

function difference(a: readonly string[], b: readonly string[]): ReadonlySet<string> {
  const others = new Set(b)
  return new Set(a.filter((item) => !others.has(item)))
}
