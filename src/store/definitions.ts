import type { Rhythm } from '../calendar/rhythm.ts'
import type { CheckRef } from './store.ts'

/** Remembers when checks were first seen, when their definitions last changed, and how they ran from when on. */
export type Definitions = {
  /** The lifetimes of these checks, in their order; records those that are new or have changed. */
  recordDefinitions(checks: readonly DefinitionRef[], now: number): Promise<readonly RecordedLifetime[]>
}

/** `fingerprint` changes whenever the check's definition does. */
export type DefinitionRef = CheckRef & { readonly fingerprint: string; readonly rhythm: Rhythm }
export type RecordedLifetime = { readonly createdAt: number; readonly updatedAt: number }
