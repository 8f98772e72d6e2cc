import { derivedId } from '../derived-id.ts'
import type { CheckRef, FiledResult, NewResult, Result } from '../store.ts'

/** A result as it is kept: an id that can be derived is not written down. */
export type StoredResult = NewResult
export type StoredPosition = Pick<StoredResult, 'startedAt' | 'runLocation' | 'id'>

const looksDerived = /^.{14}8.{4}8.{16}$/

/** Drops an id that could be derived again. */
export function toStored(filed: FiledResult): FiledResult {
  const { check, result } = filed
  const { id, runLocation, startedAt } = result
  const isDerived = id !== null && looksDerived.test(id) && id === derivedId(check, runLocation, startedAt)
  return isDerived ? { check, result: { ...result, id: null } } : filed
}

export function idOf(check: CheckRef, { id, runLocation, startedAt }: StoredPosition): string {
  return id ?? derivedId(check, runLocation, startedAt)
}

export function toResult(check: CheckRef, stored: StoredResult): Result {
  return { ...stored, id: idOf(check, stored) }
}

/** By time, then location, then id. */
export function inOrderOf(check: CheckRef) {
  return (a: StoredPosition, b: StoredPosition): number =>
    a.startedAt - b.startedAt || compareText(a.runLocation, b.runLocation) || compareText(idOf(check, a), idOf(check, b))
}

export const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

type Flags = Pick<Result, 'hasFailures' | 'hasErrors' | 'isDegraded' | 'overMaxResponseTime'>

/** The yes-or-no properties of a result as the bits of one number. */
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
