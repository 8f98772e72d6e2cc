import { compareText } from '../../../text/compare-text.ts'
import { derivedId } from '../../derived-id.ts'
import type { CheckRef, FiledResult, NewResult, Position, Result } from '../../store.ts'

/** A result as it is stored: `id` is null if it can be derived. */
export type StoredResult = NewResult
export type StoredPosition = Pick<StoredResult, 'startedAt' | 'runLocation' | 'id'>

const derivedForm = /^.{14}8.{4}8.{16}$/

/** Drops an id that can be derived again. */
export function toStored(filed: FiledResult): FiledResult {
  const { check, result } = filed
  return result.id !== null && ownId(check, result) === null ? { ...filed, result: { ...result, id: null } } : filed
}

export function toStoredPosition(check: CheckRef, position: Position): StoredPosition {
  return { ...position, id: ownId(check, position) }
}

export function toResult(check: CheckRef, stored: StoredResult): Result {
  return { ...stored, id: resultId(check, stored) }
}

/** The id of a result, derived if none is stored. */
export function resultId(check: CheckRef, { id, runLocation, startedAt }: StoredPosition): string {
  return id ?? derivedId(check, runLocation, startedAt)
}

/** By time, then location, then id; a result that was sent without an id comes first. */
export function comparePositions(a: StoredPosition, b: StoredPosition): number {
  return a.startedAt - b.startedAt || compareText(a.runLocation, b.runLocation) || compareText(a.id ?? '', b.id ?? '')
}

/** The id that a result was sent with; null if it has none, or one that can be derived. */
function ownId(check: CheckRef, { id, runLocation, startedAt }: StoredPosition): string | null {
  return id !== null && mayBeDerived(id) && id === derivedId(check, runLocation, startedAt) ? null : id
}

/** Whether an id has the form of a derived one. */
export const mayBeDerived = (id: string) => derivedForm.test(id)

type Flags = Pick<Result, 'hasFailures' | 'hasErrors' | 'isDegraded' | 'overMaxResponseTime'>

/** The boolean properties of a result as bits. */
export function flagsOf({ hasFailures, hasErrors, isDegraded, overMaxResponseTime }: Flags): number {
  return (hasFailures ? 1 : 0) | (hasErrors ? 2 : 0) | (isDegraded ? 4 : 0) | (overMaxResponseTime ? 8 : 0)
}

export function flagged(bits: number): Flags {
  return {
    hasFailures: (bits & 1) !== 0,
    hasErrors: (bits & 2) !== 0,
    isDegraded: (bits & 4) !== 0,
    overMaxResponseTime: (bits & 8) !== 0,
  }
}
