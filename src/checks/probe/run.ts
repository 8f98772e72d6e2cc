import type { Env } from '../../config.ts'
import type { Metric, Metrics } from '../metric.ts'
import type { AssertionOutcome, JudgeFunction } from './judge/judge.ts'
import type { Received } from './received.ts'

/** The export of a type's `run.ts`: runs the check once. A failing check is a return value, never an exception. */
export type RunFunction<Settings, M extends Metrics> = (settings: Settings, context: RunContext) => Promise<Measured<M>>

export type RunContext = {
  /** Aborted when the run times out or is cancelled. */
  readonly signal: AbortSignal
  readonly timeoutMs: number
  /** Throws `AddressDenied` for an address that checks may not call; applied to the remote address of connected sockets. */
  readonly admit: (address: string) => void
  /** The addresses of a host name; without it, the system resolves names. */
  readonly lookup?: (hostname: string, family: 0 | 4 | 6) => Promise<readonly string[]>
  /** Evaluates a response outside of the main thread and within limits. */
  readonly judge: JudgeFunction
  /** The folder of the config file: paths of scripts are relative to it. */
  readonly configDir: string
  /** The Chromium to use, if one is configured. */
  readonly chromium: string | null
  /** The environment of this process; child processes inherit only selected variables. */
  readonly env: Env
  /** Texts to redact from all output. Redact before truncating. */
  readonly secrets: readonly string[]
  /** Whether to return the response, for evidence. */
  readonly keepsReceived?: boolean
  /** Limit for the screenshot of a failure; without it, none is taken. */
  readonly screenshotBytes?: number
}

/** The environment of a self-test. */
export type Machine = Pick<RunContext, 'chromium' | 'env'>

/** A metric that was not measured is null. */
export type Measured<M extends Metrics> = {
  readonly metrics: { readonly [Name in RunLevel<M>]: number | null }
  /** The pages visited, in order, for a type with per-page metrics. */
  readonly pages?: readonly ({ readonly pageUrl: string } & { readonly [Name in PageLevel<M>]: number | null })[]
  /** Integers named in the type's `fields`. */
  readonly fields?: Readonly<Record<string, number | null>>
  /** Why the run failed, in one sentence; null if it did not fail. */
  readonly failure: string | null
  /** The run could not be done (no connection, no response, no browser), as opposed to a response that fails its assertions. */
  readonly broken: boolean
  /** Why the run could not be done at all: this machine lacks a resource, which says nothing about the target. */
  readonly exhausted?: string
  /** The run is degraded by a limit of its type, such as packet loss. */
  readonly degraded?: boolean
  /** The outcome of each assertion, for display. */
  readonly assertions?: readonly AssertionOutcome[]
  /** Output and events of the run, for display. */
  readonly notes?: readonly string[]
  /** The response, for evidence. */
  readonly received?: Received | null
  /** The steps of a script, for evidence. */
  readonly steps?: readonly Step[]
  /** A JPEG of the page on which the run failed, for evidence. */
  readonly screenshot?: Uint8Array | null
}

export type Step = { readonly title: string; readonly durationMs: number; readonly error: string | null }

type RunLevel<M extends Metrics> = { [Name in keyof M & string]: M[Name] extends Metric & { perPage: true } ? never : Name }[keyof M &
  string]
type PageLevel<M extends Metrics> = { [Name in keyof M & string]: M[Name] extends Metric & { perPage: true } ? Name : never }[keyof M &
  string]
