import { checksum, type Database, verify } from './sqlite.ts'

type Arrival = { readonly startedAt: number; readonly arrivedAt: number }

/** A result that is stored within this time after its start needs no arrival record. */
const promptMs = 1000

/** Records when the newest result of a check was stored, if that was well after its start. */
export function openArrivals(database: Database) {
  const select = database.prepare('SELECT startedAt, arrivedAt, crc FROM arrival WHERE series = ?')
  const put = database.prepare(
    'INSERT INTO arrival (series, startedAt, arrivedAt, crc) VALUES (?, ?, ?, ?) ON CONFLICT (series) DO UPDATE SET startedAt = excluded.startedAt, arrivedAt = excluded.arrivedAt, crc = excluded.crc WHERE excluded.startedAt > startedAt',
  )

  function of(series: number): Arrival | null {
    const row = select.get(series)
    if (!row) return null
    const { startedAt, arrivedAt, crc } = row
    verify({ key: arrivalKey(series), finding: 'the arrival time of its newest result is damaged' }, bodyOf(row), crc)
    return { startedAt, arrivedAt }
  }

  return {
    of,
    record(series: number, { startedAt, arrivedAt }: Arrival): void {
      if (arrivedAt - startedAt < promptMs) return
      put.run(series, startedAt, arrivedAt, checksum(arrivalKey(series), bodyOf({ startedAt, arrivedAt })))
    },
  }
}

const bodyOf = ({ startedAt, arrivedAt }: Arrival) => `${startedAt} ${arrivedAt}`
const arrivalKey = (series: number) => `${series} arrival `
