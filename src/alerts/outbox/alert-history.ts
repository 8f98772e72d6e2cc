import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import type { Window } from '../../calendar/window.ts'
import type { Database } from '../../store/embedded/disk/sqlite.ts'
import type { Incident, Silence } from '../decide/model.ts'
import { alertFileName, historyFromSetting } from './alert-file.ts'

/** Silences, acknowledgements and unreachable locations in a past window. */
export type AlertHistory = {
  /** Since when the history is complete; null if nothing is recorded. */
  readonly since: number | null
  readonly silences: readonly Silence[]
  readonly acknowledgements: readonly RecordedAcknowledgement[]
  /** When a location could reach none of its canaries; `to` is null while it lasts. */
  readonly unreachable: readonly { readonly location: string; readonly from: number; readonly to: number | null }[]
  /** Since when the canaries of a location are watched. */
  readonly watchedFrom: Readonly<Record<string, number>>
}

export type RecordedAcknowledgement = Pick<Incident, 'rule' | 'condition'> & {
  readonly subjects: readonly string[]
  readonly at: number
  readonly by: string
}

export const noHistory: AlertHistory = { since: null, silences: [], acknowledgements: [], unreachable: [], watchedFrom: {} }

const maxAcknowledgements = 10_000

/** Reads the alerts of a data folder, even while a server is using it. */
export function readAlertHistory(directory: string, account: string, window: Window): AlertHistory {
  const file = join(directory, alertFileName)
  if (!existsSync(file)) return noHistory
  const database = new DatabaseSync(file, { readOnly: true, timeout: 10_000 })
  try {
    return historyOf(database, account, window)
  } finally {
    database.close()
  }
}

function historyOf(database: Database, account: string, { from, to }: Window): AlertHistory {
  const hasTable = database.prepare(`SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?`)
  const rows = <Row>(table: string, sql: string, ...params: readonly (string | number)[]) =>
    hasTable.get(table) === undefined ? [] : (database.prepare(sql).all(...params) as Row[])
  const [since] = rows<{ readonly value: string }>('settings', 'SELECT value FROM settings WHERE name = ?', historyFromSetting)
  const watched = rows<{ readonly location: string; readonly since: number }>(
    'unreachable',
    'SELECT location, min(began_at) AS since FROM unreachable WHERE account = ? GROUP BY location',
    account,
  )
  return {
    since: since ? Number(since.value) : null,
    silences: rows<{ readonly body: string }>(
      'silences',
      'SELECT body FROM silences WHERE account = ? AND ends_at > ? ORDER BY rowid',
      account,
      from,
    )
      .map(({ body }) => JSON.parse(body) as Silence)
      .filter((silence) => silence.from <= to),
    acknowledgements: rows<AcknowledgementRow>('incidents', acknowledged, account, to, from).map(({ subjects, ...rest }) => ({
      ...rest,
      subjects: JSON.parse(subjects),
    })),
    unreachable: rows('unreachable', spells, account, to, from),
    watchedFrom: Object.fromEntries(watched.map(({ location, since: at }) => [location, at])),
  }
}

type AcknowledgementRow = Omit<RecordedAcknowledgement, 'subjects'> & { readonly subjects: string }

const spells = `SELECT location, began_at AS "from", ended_at AS "to" FROM unreachable
  WHERE account = ? AND began_at <= ? AND (ended_at IS NULL OR ended_at > ?) AND began_at IS NOT ended_at ORDER BY began_at`

const acknowledged = `SELECT body ->> '$.rule' AS rule, body ->> '$.condition' AS condition, body ->> '$.acknowledged.at' AS at,
    body ->> '$.acknowledged.by' AS by, (SELECT json_group_array(value ->> 'subject') FROM json_each(body, '$.members')) AS subjects
  FROM incidents WHERE account = ? AND opened_at <= ? AND (closed_at IS NULL OR closed_at >= ?) AND body ->> '$.acknowledged.at' IS NOT NULL
  ORDER BY at DESC LIMIT ${maxAcknowledgements}`
