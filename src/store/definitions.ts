import type { Rhythm } from '../calendar/rhythm.ts'
import type { CheckRef } from './store.ts'

/** Records when checks were first seen, when their definitions last changed, and each rhythm with its start. */
export type Definitions = {
  /** Records new and changed checks; returns the lifetimes of all, in the order of `checks`. */
  recordDefinitions(checks: readonly DefinitionRef[], now: number): Promise<readonly RecordedLifetime[]>
}

/** `fingerprint` changes whenever the definition of the check does. */
export type DefinitionRef = CheckRef & { readonly fingerprint: string; readonly rhythm: Rhythm }
export type RecordedLifetime = { readonly createdAt: number; readonly updatedAt: number }
