import { dayMs, hourMs, isoText, minuteMs } from '../../time.ts'
import type { AlertCondition, AlertEvent } from '../channels/message.ts'
import type { Member } from './model.ts'

type TitleFacts = {
  readonly event: AlertEvent
  readonly condition: AlertCondition
  readonly members: readonly Member[]
  /** Subjects that the channel was not notified of before. */
  readonly fresh: ReadonlySet<string>
  /** How many subjects the channel believes to be open afterwards, and since when the first of them is. */
  readonly open: number
  readonly openSince: number
  /** The group of the incident, and how many subjects it could have, if known; null for no grouping. */
  readonly group: { readonly name: string; readonly size: number | null } | null
  /** How many checks of a location are down. */
  readonly storm: { readonly down: number; readonly known: number } | null
  readonly now: number
}

export function titleOf(facts: TitleFacts): string {
  const { event, members, open, now } = facts
  const [first] = members
  if (!first) return 'Everything has recovered'
  const others = members.length > 1 ? ` and ${members.length - 1} more` : ''
  const names = `${first.name}${others}`
  const words = wordsOf(facts, first)
  if (event === 'flapping') return `${names} changes often: ${first.changes.length} changes in 30 minutes`
  if (event === 'settled')
    return first.closedAt === null ? `${names} has settled: it ${words.is}` : `${names} has settled: it ${words.isNot}`
  if (event === 'missed') return `${names} ${words.was} from ${clock(first.since)} to ${clock(first.until ?? now)} UTC`
  if (event === 'close') return closeTitle(facts, first, names)
  if (event === 'reminder') {
    const still = members.length > 1 ? words.stillMany : words.still
    return `${words.subject ?? first.name}${others} ${still}, for ${durationText(now - first.since)}`
  }
  if (facts.group !== null && (open > 1 || (event === 'update' && !words.line))) return groupTitle(facts)
  if (event === 'update' && members.every(isOver)) return closeTitle(facts, first, names)
  return words.line ?? `${names} ${members.length > 1 ? words.are : words.is}`
}

type Words = {
  readonly is: string
  readonly are: string
  readonly isNot: string
  readonly was: string
  readonly still: string
  readonly stillMany: string
  /** Replaces the names. */
  readonly subject?: string
  /** Replaces subject and verb. */
  readonly line?: string
}

function wordsOf({ condition, storm }: TitleFacts, { name, certificateDays }: Member): Words {
  switch (condition) {
    case 'failing':
      return {
        is: 'is failing',
        are: 'are failing',
        isNot: 'is no longer failing',
        was: 'was down',
        still: 'is still failing',
        stillMany: 'are still failing',
      }
    case 'degraded':
      return {
        is: 'is degraded',
        are: 'are degraded',
        isNot: 'is no longer degraded',
        was: 'was degraded',
        still: 'is still degraded',
        stillMany: 'are still degraded',
      }
    case 'certificate': {
      const line = `Certificate of ${name} ${expiry(certificateDays ?? 0)}`
      const verbs = {
        is: 'expires soon',
        are: 'expire soon',
        isNot: 'no longer expires soon',
        was: 'was about to expire',
        still: 'is still not renewed',
        stillMany: 'are still not renewed',
      }
      return { ...verbs, line, subject: `Certificate of ${name}` }
    }
    case 'sloBurn':
      return {
        is: 'burns its error budget too fast',
        are: 'burn their error budgets too fast',
        isNot: 'no longer burns its error budget too fast',
        was: 'burnt its error budget too fast',
        still: 'still burns its error budget too fast',
        stillMany: 'still burn their error budgets too fast',
      }
    case 'silent':
      return {
        is: 'is silent: no results from it',
        are: 'are silent: no results from them',
        isNot: 'is no longer silent',
        was: 'was silent',
        still: 'is still silent',
        stillMany: 'are still silent',
      }
    case 'location': {
      const is = storm && storm.down > 0 ? `cannot reach ${storm.down} of ${storm.known} checks` : 'cannot reach any of its canaries'
      const still = 'still cannot reach its checks'
      return { is, are: is, isNot: 'can reach its checks again', was: 'could not reach its checks', still, stillMany: still }
    }
  }
}

function closeTitle(facts: TitleFacts, first: Member, names: string): string {
  const words = wordsOf(facts, first)
  const subject = words.subject ?? names
  if (first.endedBy === 'paused') return `${subject} ${words.was}, and is paused now`
  if (first.endedBy === 'removed') return `${subject} ${words.was}, and is no longer monitored`
  if (facts.condition === 'certificate') return `${subject} was renewed`
  const lasted = durationText((first.until ?? facts.now) - first.since)
  if (facts.members.length > 1) return `${names} have recovered: the first ${words.was} for ${lasted}`
  return `${subject} ${words.isNot}: it ${words.was} for ${lasted}`
}

/** Such as `3 of 45 in shop fail since 10:02 UTC, 1 new, 2 resolved`. */
function groupTitle({ event, condition, members, fresh, open, openSince, group }: TitleFacts): string {
  const where = group && group.name !== '' ? ` in ${group.name}` : ''
  const [one, many] = groupVerbs[condition] ?? ['needs attention', 'need attention']
  const over = members.filter(isOver).length
  const begun = members.filter((member) => fresh.has(member.subject) && !isOver(member)).length
  const changes = event === 'update' ? [begun > 0 ? `, ${begun} new` : '', over > 0 ? `, ${over} resolved` : ''].join('') : ''
  const size = group?.size ?? null
  const count = size === null ? `${open}` : `${open} of ${Math.max(open, size)}`
  return `${count}${where} ${open === 1 ? one : many} since ${clock(openSince)} UTC${changes}`
}

const groupVerbs: Partial<Record<AlertCondition, readonly [one: string, many: string]>> = {
  failing: ['fails', 'fail'],
  degraded: ['is degraded', 'are degraded'],
  silent: ['is silent', 'are silent'],
  sloBurn: ['burns its error budget too fast', 'burn their error budgets too fast'],
}

const isOver = ({ closedAt }: Member) => closedAt !== null

function expiry(days: number): string {
  if (days < 0) return 'has expired'
  if (days === 0) return 'expires today'
  return `expires in ${days} ${days === 1 ? 'day' : 'days'}`
}

const clock = (time: number) => isoText(time).slice(11, 16)

const units = [
  [dayMs, 'day'],
  [hourMs, 'hour'],
  [minuteMs, 'minute'],
  [1000, 'second'],
] as const

/** A length of time in its largest two units, such as `1 hour 12 minutes`. */
function durationText(ms: number): string {
  const index = units.findIndex(([unitMs]) => ms >= unitMs)
  if (index < 0) return 'less than a second'
  const parts: string[] = []
  let rest = ms
  for (const [unitMs, name] of units.slice(index, index + 2)) {
    const count = Math.floor(rest / unitMs)
    rest -= count * unitMs
    if (count > 0) parts.push(`${count} ${name}${count === 1 ? '' : 's'}`)
  }
  return parts.join(' ')
}
