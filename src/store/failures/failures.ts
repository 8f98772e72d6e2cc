import type { Window } from '../../calendar/window.ts'
import type { CheckRef } from '../../ids/check-ref.ts'

/** Groups the failing results of checks by reason. */
export type FailuresQuery = {
  readonly sources: readonly CheckRef[]
  readonly window: Window
  /** Only results of these locations; null for all. */
  readonly locations: readonly string[] | null
}

/** The query for one reader, which groups only if the errors have at most `maxCharacters` characters. */
export type BoundedFailuresQuery = FailuresQuery & { readonly maxCharacters: number }
/** The groups, or the number of characters if the errors are too long. */
export type BoundedFailures = { readonly groups: readonly FailureGroup[] } | { readonly characters: number }

/** Failing results whose errors differ only in numbers, ids and addresses. */
export type FailureGroup = {
  /** The pattern of their errors (pattern.ts); null for results without an error. */
  readonly reason: string | null
  readonly count: number
  readonly firstAt: number
  readonly lastAt: number
  /** Sorted by UTF-8 bytes. */
  readonly locations: readonly string[]
  readonly checkIds: readonly string[]
  /** The newest result of the group. */
  readonly example: FailureExample
}

type FailureExample = {
  readonly check: CheckRef
  readonly resultId: string
  readonly startedAt: number
  readonly error: string | null
}
