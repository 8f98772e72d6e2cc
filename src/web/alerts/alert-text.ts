import type { Alert, AlertMessage, AlertRule, AlertSilence } from '../api/answers.ts'
import { figure, plural } from '../view/figures.ts'
import type { AlertPage } from './use-alerts.ts'

/** `3 open alerts`, or `more than 100 open alerts` if they exceed a page. */
export function openAlertsText({ alerts, pagination }: AlertPage): string {
  return pagination.next === null ? plural(alerts.length, 'open alert') : `more than ${alerts.length} open alerts`
}

/** The outcome of a notification, and when it occurred. */
export type NotifiedChannel = {
  readonly channel: string
  readonly state: 'notified' | 'waiting' | 'givenUp' | 'dropped'
  readonly at: number | null
  /** The response of a channel that could not be notified. */
  readonly answer: string | null
  /** When the next retry is due. */
  readonly nextAt: number | null
}

/** The channels of an alert, each once, whether or not they were notified. */
export function notifiedChannels({ channels, messages }: Pick<Alert, 'channels' | 'messages'>): readonly NotifiedChannel[] {
  const names = [...new Set([...channels.map(({ channel }) => channel), ...messages.map(({ channel }) => channel)])]
  return names.map((channel) => {
    const known = channels.find((each) => each.channel === channel)
    const last = messages.find((each) => each.channel === channel)
    if (last && (last.state === 'waiting' || last.state === 'givenUp'))
      return { channel, state: last.state, at: time(last.lastAt), answer: last.answer, nextAt: time(last.nextAt) }
    const state = known?.dropped && known.firstAt === null ? 'dropped' : 'notified'
    return { channel, state, at: time(known?.firstAt ?? last?.lastAt ?? null), answer: null, nextAt: null }
  })
}

const time = (iso: string | null) => (iso === null ? null : Date.parse(iso))

/** `2 of 3 locations: eu-1, us-1`. */
export function whereText({ members }: Pick<Alert, 'members'>): string | null {
  const [first] = members
  if (!first?.locations || members.length !== 1) return null
  const { down, known } = first.locations
  return known > 1 ? `${down.length} of ${known} locations: ${down.join(', ')}` : down.join(', ')
}

/** Ids of the checks of this alert, also of removed ones; empty for an alert that is not about checks. */
export function checksOf({ members }: Pick<Alert, 'members'>): readonly string[] {
  return [...new Set(members.flatMap(({ checkId }) => checkId ?? []))]
}

export function silencedText({ checks, tags }: Pick<AlertSilence, 'checks' | 'tags'>): string {
  const parts = [...(checks.length > 0 ? [checks.join(', ')] : []), ...(tags.length > 0 ? [`tagged ${tags.join(' or ')}`] : [])]
  return parts.join(' if ') || 'everything'
}

const outcomes: Readonly<Record<AlertMessage['state'], string>> = {
  waiting: 'waiting',
  delivered: 'delivered',
  superseded: 'replaced by a newer message',
  givenUp: 'given up',
}

export function outcomeText({ state, attempts }: AlertMessage): string {
  return state === 'waiting' && attempts > 0 ? 'will be retried' : outcomes[state]
}

const conditions: Readonly<Record<AlertRule['when'], string>> = {
  failing: 'a check fails',
  degraded: 'a check is degraded',
  silent: 'no results from a location or agent',
  certificate: 'a certificate expires soon',
  sloBurn: 'an error budget burns too fast',
}

/** `a check fails for 2 runs at 2 locations`. */
export function conditionText({ when, after, quorum, certificateDays, slos }: AlertRule): string {
  if (when === 'certificate') return `a certificate expires in ${certificateDays.join(', ')} days`
  if (when === 'sloBurn') return slos.length === 0 ? conditions[when] : `the error budget of ${slos.join(', ')} burns too fast`
  if (when === 'silent') return conditions[when]
  const long =
    after.seconds === null ? (after.runs === 1 ? '' : ` for ${plural(after.runs ?? 1, 'run')}`) : ` for ${seconds(after.seconds)}`
  const many = quorum === 'majority' ? ' at most of its locations' : quorum === 1 ? '' : ` at ${quorum} locations`
  return `${conditions[when]}${long}${many}`
}

/** `chat at once, on-call after 10 min`. */
export function stepsText({ steps }: Pick<AlertRule, 'steps'>): string {
  return steps
    .map(({ to, afterSeconds, during }) => {
      const when = afterSeconds === 0 ? 'at once' : `after ${seconds(afterSeconds)}`
      return `${to.join(', ')} ${when}${during === null ? '' : ` during ${during}`}`
    })
    .join('; ')
}

/** `12 checks tagged shop`. */
export function selectedText({ checks, tags, subscription, checkCount }: AlertRule): string {
  const count = checkCount === null ? 'checks' : plural(checkCount, 'check')
  if (subscription !== null) return `${count} subscribed to it`
  if (checks.length === 0 && tags.length === 0) return checkCount === null ? 'all checks' : `all ${count}`
  return tags.length > 0 ? `${count} tagged ${tags.join(' or ')}` : count
}

const seconds = (count: number) => figure(count * 1000, 'milliseconds')
