import type { Window } from '../../calendar/window.ts'
import type { CheckRef } from '../../ids/check-ref.ts'

/** The failing results of some checks, to be grouped by why they failed. */
export type FailuresQuery = {
  readonly sources: readonly CheckRef[]
  readonly window: Window
  /** Only those of these locations; null for all. */
  readonly locations: readonly string[] | null
}

/** The question for one reader, which answers it where the errors have at most `maxCharacters` characters. */
export type BoundedFailuresQuery = FailuresQuery & { readonly maxCharacters: number }
/** The groups of its checks, or how many characters the errors have. */
export type BoundedFailures = { readonly groups: readonly FailureGroup[] } | { readonly characters: number }

/** Failing results whose errors differ in numbers, ids and addresses at most. */
export type FailureGroup = {
  /** The pattern of their errors (pattern.ts); null for results without an error. */
  readonly reason: string | null
  readonly count: number
  readonly firstAt: number
  readonly lastAt: number
  /** By their UTF-8 bytes. */
  readonly locations: readonly string[]
  readonly checkIds: readonly string[]
  /** The newest of them. */
  readonly example: FailureExample
}

type FailureExample = {
  readonly check: CheckRef
  readonly resultId: string
  readonly startedAt: number
  readonly error: string | null
}
