import type { Env } from '../../config.ts'
import type { Metric, Metrics } from '../define.ts'

/** What a type's `run.ts` exports: does the check once. A check that fails is an answer, never an exception. */
export type Run<Settings, M extends Metrics> = (settings: Settings, context: RunContext) => Promise<Measured<M>>

export type RunContext = {
  /** Aborted when the run's time is over or the runner stops. */
  readonly signal: AbortSignal
  readonly timeoutMs: number
  /** Throws `AddressDenied` for an address that checks may not call; told the connected socket's remote address. */
  readonly admit: (address: string) => void
  /** The folder of the config file: scripts are named relative to it. */
  readonly configDir: string
  /** The Chromium to use, where the settings name one. */
  readonly chromium: string | null
  /** The environment of this process, of which a program that it starts is given only what it needs. */
  readonly env: Env
  /** Texts that nothing which is told of the run may show. What is cut short must be rid of them before. */
  readonly secrets: readonly string[]
}

/** What a self-test may know of the machine it asks about. */
export type Machine = Pick<RunContext, 'chromium' | 'env'>

/** A metric that was not measured is null. */
export type Measured<M extends Metrics> = {
  readonly metrics: { readonly [Name in RunLevel<M>]: number | null }
  /** The pages visited, in order, for a type with per-page metrics. */
  readonly pages?: readonly ({ readonly pageUrl: string } & { readonly [Name in PageLevel<M>]: number | null })[]
  /** Whole numbers named in the type's `fields`. */
  readonly fields?: Readonly<Record<string, number | null>>
  /** Why the run failed, in one sentence; null where it did not. */
  readonly failure: string | null
  /** The run could not be done (no connection, no answer, no browser), other than: it was done and found wanting. */
  readonly broken: boolean
  /** A limit of the type's own (such as packet loss) says that this run is degraded. */
  readonly degraded?: boolean
  /** What was asserted, one by one, for people. */
  readonly assertions?: readonly AssertionOutcome[]
  /** What the run printed or met on its way, for people. */
  readonly notes?: readonly string[]
}

export type AssertionOutcome = { readonly text: string; readonly passed: boolean; readonly actual: string }

type RunLevel<M extends Metrics> = { [Name in keyof M & string]: M[Name] extends Metric & { perPage: true } ? never : Name }[keyof M &
  string]
type PageLevel<M extends Metrics> = { [Name in keyof M & string]: M[Name] extends Metric & { perPage: true } ? Name : never }[keyof M &
  string]
