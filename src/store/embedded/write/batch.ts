import { memoryPart } from '../../query/memory-part.ts'
import { comparePositions } from '../../query/stored-result.ts'
import type { CheckRef, FiledResult } from '../../store.ts'
import { encodeSegment } from '../columns/segment.ts'

/** Results of one check on their way to the disk, in one piece: many small objects are slow to hand to another thread. */
export type Batch = { readonly check: CheckRef; readonly segment: Uint8Array }

/** Results in one batch for each check, and which of them are in each, in its order. */
export function toBatches(filed: readonly FiledResult[]): { readonly batches: readonly Batch[]; readonly indexes: readonly number[][] } {
  const indexes = indexesByCheck(filed)
  return { batches: indexes.map((places) => batchOf(filed, places)), indexes }
}

function indexesByCheck(filed: readonly FiledResult[]): number[][] {
  const byName = new Map<string, number[]>()
  let last: CheckRef | null = null
  let places: number[] = []
  for (let place = 0; place < filed.length; place++) {
    const { check } = filed[place] as FiledResult
    if (check !== last) {
      const name = `${check.account}\n${check.checkId}`
      places = byName.get(name) ?? []
      byName.set(name, places)
      last = check
    }
    places.push(place)
  }
  return [...byName.values()]
}

function batchOf(filed: readonly FiledResult[], places: number[]): Batch {
  const { check } = filed[places[0] as number] as FiledResult
  const resultAt = (place: number) => (filed[place] as FiledResult).result
  const compare = (a: number, b: number) => comparePositions(resultAt(a), resultAt(b))
  if (places.some((place, i) => i > 0 && compare(places[i - 1] as number, place) > 0)) places.sort(compare)
  return { check, segment: encodeSegment(memoryPart(places.map(resultAt))) }
}
