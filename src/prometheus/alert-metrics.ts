import { type ExpositionFormat, type Family, familyHeader, labelText, sample } from '../text/exposition.ts'

export type ScrapedAlerts = {
  readonly account: string
  readonly open: number
  readonly deliveries: readonly { readonly channel: string; readonly outcome: string; readonly count: number }[]
  /** Across all accounts; null if none waits. */
  readonly oldestUnsentAt: number | null
  readonly isLeader: boolean
}

const open: Family = { name: 'tidemark_alerts_open', type: 'gauge', help: 'Open alerts.' }
const attempts: Family = {
  name: 'tidemark_alert_deliveries',
  type: 'counter',
  help: 'Attempts to deliver messages: delivered, retry, broken or givenUp.',
}
const oldest: Family = {
  name: 'tidemark_alert_oldest_unsent_seconds',
  type: 'gauge',
  unit: 'seconds',
  help: 'Age of the oldest undelivered message, over all accounts; 0 if there is none.',
}

const leader: Family = {
  name: 'tidemark_alerts_leader',
  type: 'gauge',
  help: 'Whether this process sends alerts: 1 for one of the processes that share a database.',
}

export function alertMetrics({ account, ...alerts }: ScrapedAlerts, format: ExpositionFormat, now: number): string {
  const ageMs = alerts.oldestUnsentAt === null ? 0 : Math.max(0, now - alerts.oldestUnsentAt)
  return [
    familyHeader(open, format),
    sample(open, labelText({ account }), alerts.open),
    familyHeader(attempts, format),
    ...alerts.deliveries.map(({ channel, outcome, count }) => sample(attempts, labelText({ account, channel, outcome }), count)),
    familyHeader(oldest, format),
    sample(oldest, '', ageMs / 1000),
    familyHeader(leader, format),
    sample(leader, '', Number(alerts.isLeader)),
  ].join('')
}
