/** The parts of the API's answers that the page reads. */
export type CheckType = {
  readonly checkType: string
  readonly label: string
  readonly endpoint: string
  readonly metrics: readonly Metric[]
  readonly duration: string | null
  readonly phases: readonly string[]
  readonly groupBy: readonly { readonly name: string; readonly by: 'location' | 'field' | 'page' }[]
  readonly filterByStatus: readonly string[]
  /** A check of the type as YAML, an entry of `checks` in the config file. */
  readonly example: string
  readonly files: readonly string[]
}

export type Unit = 'milliseconds' | 'percentage' | 'score' | 'count'
export type Metric = { readonly name: string; readonly unit: Unit; readonly label: string; readonly perPage: boolean }

export type Check = {
  readonly id: string
  readonly name: string
  readonly checkType: string
  readonly activated: boolean
  readonly muted: boolean
  readonly frequency: number
  readonly locations: readonly string[]
  readonly tags: readonly string[]
  readonly request: Readonly<Record<string, string | number>>
}

export type State = 'passing' | 'degraded' | 'failing' | 'paused' | 'unknown'

export type CheckStatus = {
  readonly checkId: string
  readonly lastCheckRunId: string | null
  readonly updated_at: string
  readonly state: State
  readonly locations: readonly LocationStatus[]
}

export type LocationStatus = { readonly runLocation: string; readonly state: State; readonly updated_at: string | null }

/** One entry of the summary of many checks; figures have names such as `responseTime_p95`. */
export type Summary = { readonly checkId: string; readonly availability: number | null; readonly data: readonly Hour[] } & Readonly<
  Record<string, unknown>
>
export type Hour = { readonly period: string; readonly total: number; readonly success: number }

/** Each time that a maintenance takes place, with the checks that it is for. */
export type Maintenance = { readonly name: string; readonly from: string; readonly to: string; readonly checkIds: readonly string[] }

export type Slo = {
  readonly id: string
  readonly name: string
  readonly checks: readonly string[]
  readonly objective: {
    readonly kind: 'availability' | 'latency'
    readonly by: 'runs' | 'time'
    readonly target: number
    readonly metric?: string
    readonly thresholdMs?: number
  }
  readonly window: { readonly kind: string; readonly duration?: string; readonly unit?: string; readonly timezone?: string }
  readonly from: string
  readonly to: string
  readonly attained: number | null
  readonly met: boolean | null
  readonly budget: { readonly unit: 'runs' | 'seconds'; readonly total: number; readonly used: number; readonly left: number }
  readonly burnRate: Readonly<Record<'1h' | '6h' | '24h' | '3d', number | null>>
  readonly exhaustedAt: string | null
  readonly days: readonly { readonly day: string; readonly attained: number | null; readonly budgetLeft: number }[]
}

export type Row = Readonly<Record<string, string | number | boolean | null>>
export type Series = { readonly data: readonly Row[] } & Readonly<Record<string, unknown>>
export type Report = {
  readonly name: string
  readonly from: string
  readonly to: string
  readonly series: readonly Series[]
  readonly metadata: Readonly<Record<string, { readonly unit: Unit; readonly label: string; readonly aggregation?: string }>>
}

export type RunResult = {
  readonly id: string
  readonly hasFailures: boolean
  readonly hasErrors: boolean
  readonly isDegraded: boolean
  readonly runLocation: string
  readonly startedAt: string
  readonly responseTime: number | null
  readonly attempts: number
  readonly error: string | null
} & Readonly<Record<string, unknown>>
