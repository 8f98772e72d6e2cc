import { checksum, type Database, verify } from './database.ts'
import { type Parcel, positionIn, textIn } from './parcel.ts'
import { inOrderOf, readPacket, type StoredPosition, type StoredResult } from './stored-result.ts'

/** A result by its position and its text. */
type Entry = StoredPosition & { readonly text: string }

/** Remembers the newest result of each check and location on the disk. */
export function openLatest(database: Database) {
  const read = database.prepare('SELECT series, location, body, crc FROM latest')
  const put = database.prepare('INSERT OR REPLACE INTO latest (series, location, body, crc) VALUES (?, ?, ?, ?)')
  const newest = new Map<number, Map<string, Entry>>()
  const set = (series: number, entry: Entry) =>
    newest.set(series, (newest.get(series) ?? new Map<string, Entry>()).set(entry.runLocation, entry))

  const reload = () => {
    newest.clear()
    for (const { series, location, body, crc } of read.all()) {
      verify(latestPlace(series, location), body, crc)
      for (const { startedAt, runLocation, id } of readPacket(body)) set(series, { startedAt, runLocation, id, text: body })
    }
  }
  reload()

  return {
    reload,
    /** Takes note of new results of a check: of those at these places of a parcel. */
    meet(series: number, parcel: Parcel, places: readonly number[]): void {
      const compare = inOrderOf(parcel.check)
      for (const place of newestPlaces(parcel, places, compare)) {
        const entry = { ...positionIn(parcel, place), text: textIn(parcel, place) }
        const known = newest.get(series)?.get(entry.runLocation)
        if (known && compare(known, entry) >= 0) continue
        set(series, entry)
        put.run(series, entry.runLocation, entry.text, checksum(latestPlace(series, entry.runLocation), entry.text))
      }
    },
    all: (): { series: number; result: StoredResult }[] =>
      [...newest].flatMap(([series, byLocation]) =>
        [...byLocation.values()].flatMap(({ text }) => readPacket(text).map((result) => ({ series, result }))),
      ),
  }
}

const latestPlace = (series: number, location: string) => `${series} latest ${location} `

/** Of some places of a parcel, that of the newest result at each location. */
function newestPlaces(parcel: Parcel, places: readonly number[], compare: ReturnType<typeof inOrderOf>): number[] {
  const { times, locations } = parcel
  const byLocation: number[] = []
  for (const place of places) {
    const code = locations.codes[place] as number
    const best = byLocation[code]
    const apart = best === undefined ? 1 : (times[place] as number) - (times[best] as number)
    if (apart > 0 || (apart === 0 && compare(positionIn(parcel, place), positionIn(parcel, best as number)) > 0)) byLocation[code] = place
  }
  return byLocation.filter((place) => place !== undefined)
}
