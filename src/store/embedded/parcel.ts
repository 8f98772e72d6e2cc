import { grouped } from '../../grouped.ts'
import type { CheckRef } from '../store.ts'
import { type Texts, toTexts } from './kernels/text-column.ts'
import { type StoredPosition, type StoredResult, write } from './stored-result.ts'

/** Results of one check on their way to the disk, laid together: many small objects are slow to hand to another thread. */
export type Parcel = {
  readonly check: CheckRef
  readonly times: Float64Array
  readonly locations: Texts
  /** The id of each; null where all of them are derived. */
  readonly ids: readonly (string | null)[] | null
  /** Their texts, joined by commas, and where each of them ends. */
  readonly body: string
  readonly ends: Int32Array
}

/** A result and the check that it is of, as it is kept. */
export type Delivery = { readonly check: CheckRef; readonly result: StoredResult }

/** Deliveries in one parcel for each check, and which of them are in each. */
export function pack(deliveries: readonly Delivery[]): { readonly parcels: readonly Parcel[]; readonly contents: readonly number[][] } {
  const places = deliveries.map((_, place) => place)
  const contents = [...grouped(places, (place) => nameOf(deliveries[place] as Delivery)).values()]
  return { parcels: contents.map((some) => parcelOf(some.map((place) => deliveries[place] as Delivery))), contents }
}

const nameOf = ({ check }: Delivery) => `${check.account}\n${check.checkId}`

function parcelOf(deliveries: readonly Delivery[]): Parcel {
  const results = deliveries.map(({ result }) => result)
  const texts = results.map(write)
  const ends = new Int32Array(texts.length)
  let end = -1
  texts.forEach((text, i) => {
    end += 1 + text.length
    ends[i] = end
  })
  return {
    check: (deliveries[0] as Delivery).check,
    times: Float64Array.from(results, ({ startedAt }) => startedAt),
    locations: toTexts(results.map(({ runLocation }) => runLocation)),
    ids: results.some(({ id }) => id !== null) ? results.map(({ id }) => id) : null,
    body: texts.join(','),
    ends,
  }
}

export function positionIn({ times, locations, ids }: Parcel, place: number): StoredPosition {
  const runLocation = locations.dictionary[locations.codes[place] as number] as string
  return { startedAt: times[place] as number, runLocation, id: ids ? (ids[place] as string | null) : null }
}

export function textIn({ body, ends }: Parcel, place: number): string {
  return body.slice(place === 0 ? 0 : (ends[place - 1] as number) + 1, ends[place])
}
