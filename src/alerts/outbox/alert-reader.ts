import type { Database } from '../../store/embedded/disk/sqlite.ts'
import type { AlertEvent } from '../channels/message.ts'
import type { Incident, Notified } from '../decide/model.ts'
import { parsedBody } from './alert-file.ts'
import {
  type ChangeQuery,
  type DeliveryQuery,
  type DeliveryRecord,
  type DeliveryState,
  type DeliverySummary,
  type IncidentQuery,
  type IncidentRecord,
  type MemberChange,
  parsedDelivery,
} from './alert-records.ts'
import { changesIn, compareChanges, type PlacedChange } from './member-changes.ts'

/** Answers questions about incidents, their changes and messages. */
export type AlertReader = {
  /** The newest first, each with its first members and the last message to each channel. */
  incidents(query: IncidentQuery): readonly IncidentRecord[]
  /** With as many members and messages as the view of one incident shows. */
  incident(account: string, id: string): IncidentRecord | null
  /** When checks joined and left incidents, the newest first. */
  changes(query: ChangeQuery): readonly MemberChange[]
  /** Messages with their last attempts, the newest first. */
  deliveries(query: DeliveryQuery): readonly DeliveryRecord[]
}

/** A group may have thousands of members, and an outage thousands of reminders. */
const listedMembers = 20
const shownMembers = 1000
const shownDeliveries = 200

export type AttemptColumns = {
  readonly state: DeliveryState
  readonly attempts: number
  readonly last_at: number | null
  readonly answer: string | null
  readonly next_at: number | null
}
type DeliveryRow = AttemptColumns & { readonly body: string }
type SummaryRow = AttemptColumns & {
  readonly id: string
  readonly channel: string
  readonly event: AlertEvent
  readonly title: string
  readonly decided_at: number
}

const summaryColumns = `id, channel, body ->> '$.message.event' AS event, body ->> '$.message.title' AS title, decided_at, state, attempts, last_at, answer, next_at`

export function createAlertReader(database: Database): AlertReader {
  const notifiedOf = database.prepare('SELECT body FROM told WHERE incident = ? ORDER BY channel')
  const deliveriesOf = database.prepare(
    `SELECT ${summaryColumns} FROM deliveries WHERE incident = ? ORDER BY decided_at DESC, rowid DESC LIMIT ${shownDeliveries}`,
  )
  const lastDeliveriesOf = database.prepare(
    `SELECT ${summaryColumns} FROM deliveries WHERE rowid IN (SELECT max(rowid) FROM deliveries WHERE incident = ? GROUP BY channel)
     ORDER BY decided_at DESC, rowid DESC LIMIT ${shownDeliveries}`,
  )
  const oneIncident = database.prepare('SELECT body FROM incidents WHERE id = ? AND account = ?')
  const incidentsAt = database.prepare(
    'SELECT body FROM incidents WHERE account = ? AND opened_at < ? AND (closed_at IS NULL OR closed_at >= ?)',
  )
  const findIncidents = database.prepare(
    `SELECT body FROM incidents WHERE account = :account AND opened_at < :to AND (closed_at IS NULL OR closed_at >= :from)
     AND (:isOpen IS NULL OR (closed_at IS NULL) = :isOpen)
     AND (:checkId IS NULL OR EXISTS (SELECT 1 FROM json_each(body, '$.members') WHERE value ->> 'checkId' = :checkId))
     ORDER BY opened_at DESC, id LIMIT :limit OFFSET :offset`,
  )
  const findDeliveries = database.prepare(
    `SELECT * FROM deliveries WHERE account = :account AND decided_at >= :from AND decided_at < :to AND (:channel IS NULL OR channel = :channel)
     AND (:hasFailures IS NULL OR (state IN ('givenUp', 'superseded') OR (state = 'waiting' AND attempts > 0)) = :hasFailures)
     ORDER BY decided_at DESC, rowid DESC LIMIT :limit OFFSET :offset`,
  )

  /** Open members first. */
  function incidentRecord(row: unknown, maxMembers: number, deliveries: { all(incident: string): unknown[] }): IncidentRecord {
    const incident = parsedBody<Incident>(row)
    const { id, members } = incident
    const first = members.toSorted((a, b) => Number(a.closedAt !== null) - Number(b.closedAt !== null)).slice(0, maxMembers)
    return {
      incident: { ...incident, members: first },
      memberCount: members.length,
      notified: notifiedOf.all(id).map(parsedBody<Notified>),
      deliveries: (deliveries.all(id) as SummaryRow[]).map(deliverySummary),
    }
  }

  return {
    incidents: ({ isOpen, ...query }) =>
      findIncidents
        .all({ ...query, isOpen: isOpen === null ? null : Number(isOpen) })
        .map((row) => incidentRecord(row, listedMembers, lastDeliveriesOf)),
    incident(account, id) {
      const row = oneIncident.get(id, account)
      return row === undefined ? null : incidentRecord(row, shownMembers, deliveriesOf)
    },
    changes(query) {
      const { account, from, to, limit, offset } = query
      const found: PlacedChange[] = []
      for (const row of incidentsAt.iterate(account, to, from)) for (const each of changesIn(parsedBody(row), query)) found.push(each)
      const page = found.sort(compareChanges).slice(offset, offset + limit)
      const named = new Map<PlacedChange, MemberChange>()
      for (const id of new Set(page.map(({ incident }) => incident))) {
        const { condition, members } = parsedBody<Incident>(oneIncident.get(id, account))
        for (const change of page) {
          const member = change.incident === id ? members[change.place] : undefined
          if (member) named.set(change, { incident: id, condition, member, kind: change.kind, at: change.at })
        }
      }
      return page.flatMap((change) => named.get(change) ?? [])
    },
    deliveries: ({ hasFailures, ...query }) =>
      (findDeliveries.all({ ...query, hasFailures: hasFailures === null ? null : Number(hasFailures) }) as DeliveryRow[]).map(
        deliveryRecord,
      ),
  }
}

function deliveryRecord(row: DeliveryRow): DeliveryRecord {
  return { delivery: parsedDelivery(row), ...attemptsOf(row) }
}

function deliverySummary(row: SummaryRow): DeliverySummary {
  const { id, channel, event, title, decided_at: decidedAt } = row
  return { id, channel, event, title, decidedAt, ...attemptsOf(row) }
}

const attemptsOf = ({ state, attempts, last_at: lastAt, answer, next_at: nextAt }: AttemptColumns) => ({
  state,
  attempts,
  lastAt,
  answer,
  nextAt,
})
