import type { Rhythm } from '../../../calendar/rhythm.ts'
import type { CheckRef } from '../../store.ts'
import { type Regime, rhythmText } from '../../timeline/regime.ts'
import { checksum, type Database, verify } from './sqlite.ts'

/** Reads the regimes of a check, ascending; empty if none were recorded. */
export function openRegimes(database: Database) {
  const select = database.prepare(
    'SELECT series, since, body, crc FROM regime JOIN series ON key = series WHERE account = ? AND checkId = ? ORDER BY since',
  )
  return ({ account, checkId }: CheckRef): readonly Regime[] =>
    select.all(account, checkId).map(({ series, since, body, crc }) => {
      verify({ key: regimeKey(series, since), finding: 'the history of its run interval is damaged' }, body, crc)
      const rhythm: Rhythm = JSON.parse(body)
      return { from: since, ...rhythm }
    })
}

export function openRegimeWriter(database: Database) {
  const selectLast = database.prepare('SELECT since, body FROM regime WHERE series = ? ORDER BY since DESC LIMIT 1')
  const removeAll = database.prepare('DELETE FROM regime WHERE series = ?')
  const put = database.prepare('INSERT OR REPLACE INTO regime (series, since, body, crc) VALUES (?, ?, ?, ?)')
  return {
    /** Adds a row if the rhythm has changed. A row is never older than the previous one, even if the clock was set back. */
    record(series: number, rhythm: Rhythm, now: number): void {
      const last = selectLast.get(series)
      const body = rhythmText(rhythm)
      if (last?.body === body) return
      const since = Math.max(now, last?.since ?? now)
      put.run(series, since, body, checksum(regimeKey(series, since), body))
    },
    clear(series: number): void {
      removeAll.run(series)
    },
  }
}

const regimeKey = (series: number, since: number) => `${series} regime ${since} `
