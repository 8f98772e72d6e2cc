import { allTime } from '../../../calendar/window.ts'
import { dayMs } from '../../../time.ts'
import { positionsOf } from '../../query/parts/part.ts'
import { mayBeDerived, resultId } from '../../query/parts/stored-result.ts'
import type { CheckRef, FoundResult, Position, QuestionOptions, ResultQuery, Window } from '../../store.ts'
import { wholePart } from './loaded-part.ts'
import type { SelectResults } from './select-results.ts'
import type { ResultReader } from './server-reader.ts'

type OneResultOptions = {
  readonly select: SelectResults
  readonly reader: Pick<ResultReader, 'resultAt' | 'results' | 'scan'>
  readonly firstStart: (check: CheckRef, options?: QuestionOptions) => Promise<number | null>
  readonly clock: () => number
}

const firstStepMs = dayMs
const growth = 4

/** Finds one result by its id, with its neighbours. Derived ids are not stored: they are computed again from each result. */
export function createOneResult({ select, reader, firstStart, clock }: OneResultOptions) {
  async function positionOf(query: ResultQuery, options?: QuestionOptions): Promise<Position | null> {
    const { check, id, startedAt } = query
    const window = startedAt === null ? allTime : { from: startedAt, to: startedAt }
    const page = { newestFirst: true, limit: 1, offset: 0 }
    const columns = ['time', 'location', 'id']
    const own = await select({ check, window, columns, where: ['id = {id:String}'], params: { id }, page }, options)
    if (own.count > 0) return { ...positionsOf(wholePart(own))(0), id }
    if (!mayBeDerived(id)) return null
    return startedAt === null ? searchBack(query, options) : derivedIn(query, window, options)
  }

  async function derivedIn({ check, id }: ResultQuery, window: Window, options?: QuestionOptions): Promise<Position | null> {
    const loaded = await select({ check, window, columns: ['time', 'location', 'id'], where: ["id = ''"] }, options)
    const positionAt = positionsOf(wholePart(loaded))
    for (let row = loaded.count - 1; row >= 0; row--) {
      const position = positionAt(row)
      if (resultId(check, position) === id) return { ...position, id }
    }
    return null
  }

  /** From the newest back, in growing steps. */
  async function searchBack(query: ResultQuery, options?: QuestionOptions): Promise<Position | null> {
    const first = await firstStart(query.check, options)
    if (first === null) return null
    let to = allTime.to
    let from = clock() - firstStepMs
    for (let stepMs = firstStepMs; to >= first; stepMs *= growth) {
      const found = await derivedIn(query, { from, to }, options)
      if (found) return found
      to = from - 1
      from = to - stepMs
    }
    return null
  }

  return async (query: ResultQuery, options?: QuestionOptions): Promise<Omit<FoundResult, 'evidence'> | null> => {
    const { check } = query
    const position = await positionOf(query, options)
    if (!position) return null
    const { startedAt, runLocation } = position
    const location = query.sameLocation ? runLocation : null
    const before = { check, location, hasFailures: null, before: position, rowPage: { offset: 0, limit: 1 } }
    const [result, [previous], [next]] = await Promise.all([
      reader.resultAt(check, position, options),
      reader.results({ ...before, window: { from: allTime.from, to: startedAt } }, options),
      reader.scan(
        { check, window: { from: startedAt, to: allTime.to }, after: position, limit: 1, ...(location !== null && { location }) },
        options,
      ),
    ])
    return result ? { result, previous: previous ?? null, next: next ?? null } : null
  }
}
