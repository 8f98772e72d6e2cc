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
  /** Of the certificate that expires first; null where there is none. */
  readonly sslDaysRemaining: number | null
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

export type Outage = {
  readonly from: string
  /** Null while it goes on. */
  readonly to: string | null
  readonly seconds: number
  readonly locations: readonly string[]
  readonly reason: string | null
}

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

export type LocationEntry = {
  readonly location: string
  readonly runBy: 'agents' | 'server' | 'none'
  readonly checks: number
  readonly agents: readonly AgentEntry[]
}

export type AgentEntry = {
  readonly instance: string
  readonly name: string | null
  readonly version: string
  readonly state: 'live' | 'silent' | 'stopped'
  readonly lastContact: string
  readonly clockOffsetMs: number | null
  readonly stampsServerTime: boolean
  readonly backlog: number
  readonly agentDropped: number
  readonly checks: number
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

type Neighbour = { readonly id: string; readonly startedAt: string; readonly runLocation: string }

/** A result with the evidence of its run. */
export type OneResult = RunResult & {
  readonly previous: Neighbour | null
  readonly next: Neighbour | null
  readonly evidence: Evidence | null
}

export type Evidence = {
  readonly attempts: readonly Attempt[]
  readonly screenshot: { readonly mediaType: string; readonly base64: string } | null
}

export type Attempt = {
  readonly startedAt: string
  readonly error: string | null
  readonly assertions: readonly { readonly expected: string; readonly found: string; readonly passed: boolean }[]
  readonly response: {
    readonly status: number | null
    readonly headers: readonly { readonly name: string; readonly value: string }[]
    readonly body: string | null
    readonly truncated: boolean
  } | null
  readonly steps: readonly { readonly title: string; readonly durationMs: number; readonly error: string | null }[]
  readonly messages: readonly string[]
}

export type Failures = {
  readonly from: string
  readonly to: string
  readonly total: number
  readonly failures: readonly Failure[]
  readonly pagination: { readonly next: string | null }
}

export type Failure = {
  readonly reason: string | null
  readonly count: number
  readonly firstSeen: string
  readonly lastSeen: string
  readonly locations: readonly string[]
  readonly checkIds: readonly string[]
  readonly example: {
    readonly checkId: string
    readonly resultId: string
    readonly startedAt: string
    readonly error: string | null
  }
}
