import { randomUUID } from 'node:crypto'
import type { Connection } from './connection.ts'
import { createRowWriter } from './row-binary.ts'

/** How many days results and evidence are kept. */
type RetentionDays = { readonly days: number; readonly evidenceDays: number }
type AgreementOptions = {
  /** Its reads see all that was acknowledged: a replica that lags behind would lead to deletion of what another process wants. */
  readonly connection: Pick<Connection, 'rows' | 'insert'>
  readonly log: (problem: unknown) => void
}

/** Heartbeat: processes write what they want every hour and when they end. One without a row for this long no longer counts. */
const heardSeconds = 3 * 3600
/** Stands for ever in a column, which JSON has no number for. */
const forever = 1e9

/**
 * The longest time that any process over a database wants results to be kept, or has wanted in the last hours: a config file that is wrong in
 * one place deletes nothing, also while another process restarts.
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

  /** In the log whenever it is another one. */
  function logDifference(own: RetentionDays, agreed: RetentionDays): void {
    const isLonger = agreed.days > own.days || agreed.evidenceDays > own.evidenceDays
    const words = isLonger
      ? `Another process over this database keeps results for ${daysText(agreed.days)} and evidence for ${daysText(agreed.evidenceDays)}, this one for ${daysText(own.days)} and ${daysText(own.evidenceDays)}. The longer times hold until all agree.`
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
    /** What this process wants holds for some hours from now on. */
    async leave(): Promise<void> {
      if (wanted) await say(wanted).catch(() => {}) // It has said so within the last hour.
    },
  }
}

const unlessForever = (days: number) => (days >= forever ? Number.POSITIVE_INFINITY : days)
const daysText = (days: number) => (days === Number.POSITIVE_INFINITY ? 'ever' : `${days} days`)
