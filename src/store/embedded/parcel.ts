import { grouped } from '../../grouped.ts'
import type { CheckRef } from '../store.ts'
import { encodePacket } from './packet.ts'
import { memoryPart } from './part.ts'
import { inOrderOf, type StoredResult } from './stored-result.ts'

/** Results of one check on their way to the disk, in one piece: many small objects are slow to hand to another thread. */
export type Parcel = { readonly check: CheckRef; readonly packet: Uint8Array }

/** A result and the check that it is of, as it is kept. */
export type Delivery = { readonly check: CheckRef; readonly result: StoredResult }

/** Deliveries in one parcel for each check, and which of them are in each, in its order. */
export function pack(deliveries: readonly Delivery[]): { readonly parcels: readonly Parcel[]; readonly contents: readonly number[][] } {
  const places = deliveries.map((_, place) => place)
  const contents = [...grouped(places, (place) => nameOf(deliveries[place] as Delivery)).values()]
  return { parcels: contents.map((some) => parcelOf(deliveries, some)), contents }
}

const nameOf = ({ check }: Delivery) => `${check.account}\n${check.checkId}`

function parcelOf(deliveries: readonly Delivery[], places: number[]): Parcel {
  const { check } = deliveries[places[0] as number] as Delivery
  const resultAt = (place: number) => (deliveries[place] as Delivery).result
  const compare = inOrderOf(check)
  places.sort((a, b) => compare(resultAt(a), resultAt(b)))
  return { check, packet: encodePacket(memoryPart(places.map(resultAt))) }
}
