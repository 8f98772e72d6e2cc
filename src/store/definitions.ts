import type { CheckRef } from './store.ts'

/** Remembers when checks were first seen and when their definitions last changed. */
export type Definitions = {
  /** The lifetimes of these checks, in their order; records those that are new or have changed. */
  recordDefinitions(checks: readonly DefinitionRef[], now: number): Promise<readonly Lifetime[]>
}

/** `fingerprint` changes whenever the check's definition does. */
export type DefinitionRef = CheckRef & { readonly fingerprint: string }
export type Lifetime = { readonly createdAt: number; readonly updatedAt: number }
