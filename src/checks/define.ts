import type { CronSchedule } from '../calendar/cron.ts'
import type { Static, TObject } from '../schema/typebox.ts'
import type { Demo } from './demo.ts'
import type { GroupRequest } from './group-request.ts'
import type { Dimension, Metrics } from './metric.ts'
import type { Machine, RunFunction } from './probe/run.ts'
import type { WireCodec } from './wire.ts'

/** A figure of the summary of many checks: a metric and its aggregations. */
type SummaryFigure = { readonly metric: string; readonly aggregations: readonly ('avg' | 'p50' | 'p95' | 'p99')[] }

/** When pings are expected, and the token that they carry. `tokenHash` is `sha256:` and the 64 hex digits of the token's hash. */
export type PingSettings = {
  /** With a schedule, the longest time between two pings. */
  readonly periodMs: number
  readonly graceMs: number
  readonly tokenHash: string
  /** Pings follow this schedule instead of a period after the last ping. */
  readonly cron?: CronSchedule
}

/** A file or folder that a setting of a check refers to. */
export type NeededFile = { readonly setting: string; readonly path: string; readonly kind: 'file' | 'folder' }

export type CheckType<Settings extends TObject = TObject, M extends Metrics = Metrics> = {
  /** Its name in the API, such as `ICMP`. */
  readonly type: string
  /** Its path below `/v1/analytics/`. */
  readonly path: string
  readonly label: string
  readonly metrics: M
  /** The metric of a run's duration; null if runs have no duration. */
  readonly duration: (keyof M & string) | null
  /** The consecutive phases of a run, in order; they add up to its duration. */
  readonly phases: readonly (keyof M & string)[]
  /** Integer fields that a result may have in addition to the metrics. */
  readonly fields: readonly string[]
  readonly groupBy: readonly Dimension[]
  /**
   * Values of `filterByStatus` in addition to success and failure, by outcome. A result without a state counts as the first state of its
   * outcome.
   */
  readonly states: Readonly<Record<string, 'success' | 'failure'>>
  readonly summary: Readonly<Record<string, SummaryFigure>>
  /** The schema of the type's own settings in the config file. */
  readonly settings: Settings
  /**
   * Derives settings from an address such as `https://example.com`; undefined if the address does not fit this type. Absent if an address
   * is never sufficient.
   */
  readonly fromAddress?: (address: URL) => Static<Settings> | undefined
  /** The target of a run, without secrets: the `request` of `/v1/checks`. */
  readonly target: (settings: Static<Settings>) => Readonly<Record<string, string | number>>
  /** Texts to redact from all output, such as the values of headers. */
  readonly secrets?: (settings: Static<Settings>) => readonly string[]
  /** Files and folders that runs need; paths are relative to the config file. */
  readonly files?: (settings: Static<Settings>) => readonly NeededFile[]
  /** The settings that contain code to execute, as opposed to the path of a file. */
  readonly codeSettings?: (settings: Static<Settings>) => readonly string[]
  /** For a type that is not run but waits for pings. */
  readonly pingSettings?: (settings: Static<Settings>) => PingSettings
  /**
   * Loads the code of a run; absent if results come from outside. `warmUp` is called before each run, for types whose first run would be
   * slower than the rest.
   */
  readonly run?: () => Promise<{ readonly run: RunFunction<Static<Settings>, M>; readonly warmUp?: () => Promise<void> }>
  /**
   * Reports what this machine lacks for runs and how to install it, as a sentence; null if nothing is missing. Absent if runs need only
   * Node.
   */
  readonly selfTest?: (machine: Machine) => Promise<string | null>
  /** Encodes and decodes the settings in API bodies; without it, they keep their own names. */
  readonly wire?: WireCodec<Static<Settings>>
  /** For a type whose checks inherit parts of their requests from their group. */
  readonly groupRequest?: GroupRequest<Static<Settings>>
  /** Heavy runs (a browser, a test runner) have a separate concurrency limit. */
  readonly heavy?: true
  readonly demo: Demo<Static<Settings>, M>
}

type Optional = 'phases' | 'fields' | 'states' | 'summary'

type Declaration<Settings extends TObject, M extends Metrics> = Omit<CheckType<Settings, M>, Optional> &
  Partial<Pick<CheckType<Settings, M>, Optional>>

export function defineCheckType<Settings extends TObject, M extends Metrics>(declaration: Declaration<Settings, M>): CheckType {
  const { duration } = declaration
  const summary = duration === null ? {} : { responseTime: { metric: duration, aggregations: ['avg', 'p50', 'p95', 'p99'] as const } }
  return eraseTypes({ phases: [], fields: [], states: {}, summary, ...declaration })
}

/** Sound because callers only pass settings that the type's own schema has accepted. */
function eraseTypes<Settings extends TObject, M extends Metrics>(checkType: CheckType<Settings, M>): CheckType {
  return checkType as unknown as CheckType
}
