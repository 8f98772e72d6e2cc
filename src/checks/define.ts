import type { CronSchedule } from '../calendar/cron.ts'
import type { Static, TObject } from '../schema/typebox.ts'
import type { Demo } from './demo.ts'
import type { GroupRequest } from './group-request.ts'
import type { Dimension, Metrics } from './metric.ts'
import type { Machine, RunFunction } from './probe/run.ts'
import type { WireCodec } from './wire.ts'

/** A figure of the summary of many checks: a metric and its aggregations. */
type SummaryFigure = { readonly metric: string; readonly aggregations: readonly ('avg' | 'p50' | 'p95' | 'p99')[] }

/** How often a ping is expected, how late it may be, and its token: `tokenHash` is `sha256:` and the 64 hex digits of the token that a ping carries. */
export type PingSettings = {
  /** With a schedule, the longest time between two pings. */
  readonly periodMs: number
  readonly graceMs: number
  readonly tokenHash: string
  /** When pings are expected, in place of a period after the last one. */
  readonly cron?: CronSchedule
}

/** Something on disk that a setting of a check names. */
export type NeededFile = { readonly setting: string; readonly path: string; readonly kind: 'file' | 'folder' }

export type CheckType<Settings extends TObject = TObject, M extends Metrics = Metrics> = {
  /** Its name in the API, such as `ICMP`. */
  readonly type: string
  /** Its path below `/v1/analytics/`. */
  readonly path: string
  /** Its display name. */
  readonly label: string
  readonly metrics: M
  /** The metric for how long a run took; null where a run has no duration. */
  readonly duration: (keyof M & string) | null
  /** The consecutive phases of a run, in order; they add up to its duration. */
  readonly phases: readonly (keyof M & string)[]
  /** Integer fields, besides the metrics, that a result of this type may have. */
  readonly fields: readonly string[]
  readonly groupBy: readonly Dimension[]
  /** Values of `filterByStatus` besides success and failure, each with its outcome; a result without a state counts as the first one of its outcome. */
  readonly states: Readonly<Record<string, 'success' | 'failure'>>
  readonly summary: Readonly<Record<string, SummaryFigure>>
  /** The schema of the type's own settings in the config file. */
  readonly settings: Settings
  /** The settings of a check of this address, such as `https://example.com`; undefined where it is none for this type. Absent where no address says enough. */
  readonly fromAddress?: (address: URL) => Static<Settings> | undefined
  /** The target of a run, without secrets: the `request` of `/v1/checks`. */
  readonly target: (settings: Static<Settings>) => Readonly<Record<string, string | number>>
  /** Texts in the settings that no output may show, such as the values of headers. */
  readonly secrets?: (settings: Static<Settings>) => readonly string[]
  /** Files and folders that its runs need, by the setting that names them; relative to the config file. */
  readonly files?: (settings: Static<Settings>) => readonly NeededFile[]
  /** The settings that hold code which its runs execute, as opposed to naming files. */
  readonly codeSettings?: (settings: Static<Settings>) => readonly string[]
  /** For a type that is not run but waits for pings. */
  readonly pingSettings?: (settings: Static<Settings>) => PingSettings
  /** Loads the code of a run; absent where results come from outside. `warmUp` is called before a run, where the first one would be slower than the rest. */
  readonly run?: () => Promise<{ readonly run: RunFunction<Static<Settings>, M>; readonly warmUp?: () => Promise<void> }>
  /** The missing program for such runs and how to install it, as a sentence; null where nothing is missing. Absent where Node is all they need. */
  readonly selfTest?: (machine: Machine) => Promise<string | null>
  /** How its settings stand in bodies of the API; without it, under their own names. */
  readonly wire?: WireCodec<Static<Settings>>
  /** For a type whose checks take over parts of their requests from their group. */
  readonly groupRequest?: GroupRequest<Static<Settings>>
  /** Heavy runs (a browser, a test runner) have a separate concurrency limit. */
  readonly heavy?: true
  /** Its check in the demo. */
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

/** Sound because callers pass a type only settings that its own schema has accepted. */
function eraseTypes<Settings extends TObject, M extends Metrics>(checkType: CheckType<Settings, M>): CheckType {
  return checkType as unknown as CheckType
}
