import type { VersionedRow } from '../../store/coordination.ts'
import type { Incident } from '../decide/model.ts'
import type { IncidentChange } from '../loop/account-alerts.ts'
import type { AlertServiceEvent } from '../loop/alert-service.ts'
import type { AttemptColumns } from '../outbox/alert-reader.ts'
import { type ChannelHealth, channelKey, parsedDelivery } from '../outbox/alert-records.ts'
import type { AlertSummary } from '../outbox/shared-alert-database.ts'

type AccountEvent = { readonly account: string; readonly event: AlertServiceEvent }

type DeliveryColumns = AttemptColumns & { readonly account: string; readonly body: string }

/** Derives the events behind rows of another process, by comparing them with the previous state. */
export function eventsOf(rows: readonly VersionedRow[], before: Pick<AlertSummary, 'incidents'>): readonly AccountEvent[] {
  const known = new Map(before.incidents.map((incident) => [incident.id, incident]))
  const broken = new Set(ofKind<{ readonly body: string }>(rows, 'health').flatMap(brokenChannel))
  const incidents = ofKind<{ readonly account: string; readonly body: string }>(rows, 'incidents').map(
    ({ account, body }): AccountEvent => {
      const incident = JSON.parse(body) as Incident
      return { account, event: { kind: 'incident', incident, change: changeOf(incident, known.get(incident.id)) } }
    },
  )
  const attempts = ofKind<DeliveryColumns>(rows, 'deliveries').flatMap((row): AccountEvent[] => {
    const { account, state, attempts, last_at: at, answer, next_at: nextAt } = row
    if (attempts === 0 || at === null || state === 'superseded') return []
    const delivery = parsedDelivery(row)
    const failed = broken.has(channelKey({ account, channel: delivery.channel })) ? 'broken' : 'retry'
    const attempt = { account, delivery, at, outcome: state === 'waiting' ? failed : state, answer: answer ?? '', nextAt } as const
    return [{ account, event: { kind: 'attempt', attempt } }]
  })
  return [...incidents, ...attempts]
}

function ofKind<Columns>(rows: readonly VersionedRow[], kind: string): readonly Columns[] {
  return rows.filter((row) => row.kind === kind && row.body !== '').map(({ body }) => JSON.parse(body) as Columns)
}

function brokenChannel({ body }: { readonly body: string }): readonly string[] {
  const { account, channel, state } = JSON.parse(body) as ChannelHealth
  return state === 'broken' ? [channelKey({ account, channel })] : []
}

function changeOf({ closedAt, acknowledged }: Incident, before: AlertSummary['incidents'][number] | undefined): IncidentChange {
  const wasOpen = before?.isOpen === 1
  if (closedAt !== null) return wasOpen || before === undefined ? 'closed' : 'changed'
  if (!wasOpen) return 'opened'
  return acknowledged !== null && before.isAcknowledged === 0 ? 'acknowledged' : 'changed'
}
