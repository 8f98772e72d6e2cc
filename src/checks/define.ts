import type { Static, TObject } from 'typebox'
import type { Demo } from './demo.ts'
import type { Machine, Run } from './probe/run.ts'

export type Unit = 'milliseconds' | 'percentage' | 'score' | 'count'

/** What one run measures; `perPage` marks what is measured on each page that a run visits. */
export type Metric = { readonly unit: Unit; readonly label: string; readonly perPage?: true }
export type Metrics = Readonly<Record<string, Metric>>

/** What results can be grouped by: the place they ran at, a whole number they carry, or the page of a run. */
export type Dimension = { readonly name: string; readonly by: 'location' | 'field' | 'page' }

/** A figure of the many-checks summary: which metric it tells, by which aggregations. */
type SummaryFigure = { readonly metric: string; readonly aggregations: readonly ('avg' | 'p50' | 'p95' | 'p99')[] }

/** `tokenHash` is `sha256:` and the 64 hex digits of the token that a ping carries. */
export type Pinged = { readonly periodMs: number; readonly graceMs: number; readonly tokenHash: string }

export type CheckType<Settings extends TObject = TObject, M extends Metrics = Metrics> = {
  /** The name that clients know it by, such as `ICMP`. */
  readonly type: string
  /** Its path below `/v1/analytics/`. */
  readonly path: string
  /** What people call it. */
  readonly label: string
  readonly metrics: M
  /** The metric that tells how long a run took; null where a run takes no time. */
  readonly duration: (keyof M & string) | null
  /** The metrics that a run passes through in this order and that sum up to its duration. */
  readonly phases: readonly (keyof M & string)[]
  /** Whole numbers, beside the metrics, that a result of this type may carry. */
  readonly fields: readonly string[]
  readonly groupBy: readonly Dimension[]
  /** What `filterByStatus` knows beside success and failure, and whether such a result is a failure; a result that does not say is the first of its outcome. */
  readonly states: Readonly<Record<string, 'success' | 'failure'>>
  readonly summary: Readonly<Record<string, SummaryFigure>>
  /** What the config file says of such a check, beside what it says of every check. */
  readonly settings: Settings
  /** What is called, without any secret: the `request` of `/v1/checks`. */
  readonly target: (settings: Static<Settings>) => Readonly<Record<string, string | number>>
  /** Texts in the settings that nothing which is told of a run may show, such as the values of headers. */
  readonly secrets?: (settings: Static<Settings>) => readonly string[]
  /** For a type that is not run but waits to be pinged: how often, how much later is still fine, and by whom. */
  readonly pinged?: (settings: Static<Settings>) => Pinged
  /** Does it once; absent where results come from outside. A type whose first run would be slower than others has a rehearsal before it. */
  readonly run?: () => Promise<{ readonly run: Run<Static<Settings>, M>; readonly rehearse?: () => Promise<void> }>
  /** What a machine lacks for such runs and how to get it, as a sentence; null where nothing is missing. Absent where Node is all they need. */
  readonly selfTest?: (machine: Machine) => Promise<string | null>
  /** Runs of a heavy type (a browser, a test runner) have a limit of their own. */
  readonly heavy?: true
  /** How the demo shows it. */
  readonly demo: Demo<Static<Settings>, M>
}

type Optional = 'phases' | 'fields' | 'states' | 'summary'

type Declaration<Settings extends TObject, M extends Metrics> = Omit<CheckType<Settings, M>, Optional> &
  Partial<Pick<CheckType<Settings, M>, Optional>>

export function defineCheckType<Settings extends TObject, M extends Metrics>(declaration: Declaration<Settings, M>): CheckType {
  const { duration } = declaration
  const summary = duration === null ? {} : { responseTime: { metric: duration, aggregations: ['avg', 'p50', 'p95', 'p99'] as const } }
  return forget({ phases: [], fields: [], states: {}, summary, ...declaration })
}

/** Callers hand a type only settings that its own schema has accepted, so the registry need not know their shape. */
function forget<Settings extends TObject, M extends Metrics>(checkType: CheckType<Settings, M>): CheckType {
  return checkType as unknown as CheckType
}

export const milliseconds = (label: string) => ({ unit: 'milliseconds', label }) as const
export const percentage = (label: string) => ({ unit: 'percentage', label }) as const
export const count = (label: string) => ({ unit: 'count', label }) as const
export const score = (label: string) => ({ unit: 'score', label }) as const
export const perPage = <M extends Metric>(metric: M) => ({ ...metric, perPage: true }) as const

export const runLocation: Dimension = { name: 'runLocation', by: 'location' }
export const statusCode: Dimension = { name: 'statusCode', by: 'field' }
export const pageIndex: Dimension = { name: 'pageIndex', by: 'page' }
