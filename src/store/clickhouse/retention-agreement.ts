import { randomUUID } from 'node:crypto'
import type { Connection } from './connection.ts'
import { createRowWriter } from './row-binary.ts'

type RetentionDays = { readonly days: number; readonly evidenceDays: number }
type AgreementOptions = {
  /** Its reads must see all acknowledged writes: a lagging replica could lead to deletion of what another process wants. */
  readonly connection: Pick<Connection, 'rows' | 'insert'>
  readonly log: (problem: unknown) => void
}

/** Heartbeat: processes write what they want every hour and when they end. One without a row for this long no longer counts. */
const heardSeconds = 3 * 3600
/** Stored instead of Infinity, which JSON cannot represent. */
const forever = 1e9

/**
 * The longest retention that any process over a database wants, or has wanted in the last hours. So a single wrong config file deletes
 * nothing, even while another process restarts.
 */
export function createRetentionAgreement({ connection, log }: AgreementOptions) {
  const self = randomUUID()
  let beat = 0n
  let wanted: RetentionDays | null = null
  let lastLogged = ''

  async function say({ days, evidenceDays }: RetentionDays): Promise<void> {
    const row = createRowWriter()
    row.text(self)
    row.float64(Math.min(days, forever))
    row.float64(Math.min(evidenceDays, forever))
    beat += 1n
    row.uint64(beat)
    await connection.insert('retentions (process, days, evidenceDays, beat)', row.written())
  }

  /** Logs a difference whenever it changes. */
  function logDifference(own: RetentionDays, agreed: RetentionDays): void {
    const isLonger = agreed.days > own.days || agreed.evidenceDays > own.evidenceDays
    const words = isLonger
      ? `Another process on this database keeps results for ${daysText(agreed.days)} and evidence for ${daysText(agreed.evidenceDays)}, this one for ${daysText(own.days)} and ${daysText(own.evidenceDays)}. The longer times apply until all agree.`
      : ''
    if (words !== '' && words !== lastLogged) log(words)
    lastLogged = words
  }

  return {
    async reach(own: RetentionDays): Promise<RetentionDays> {
      wanted = own
      await say(own)
      const sql = `SELECT max(days), max(evidenceDays) FROM retentions FINAL WHERE at > now() - ${heardSeconds}`
      const [row = []] = await connection.rows({ sql })
      const [days = 0, evidenceDays = 0] = row.map((value) => unlessForever(Number(value)))
      const agreed = { days: Math.max(own.days, days), evidenceDays: Math.max(own.evidenceDays, evidenceDays) }
      logDifference(own, agreed)
      return agreed
    },
    /** Writes a last heartbeat: what this process wants counts for some more hours. */
    async leave(): Promise<void> {
      if (wanted) await say(wanted).catch(() => {}) // The previous heartbeat is at most an hour old.
    },
  }
}

const unlessForever = (days: number) => (days >= forever ? Number.POSITIVE_INFINITY : days)
const daysText = (days: number) => (days === Number.POSITIVE_INFINITY ? 'ever' : `${days} days`)
