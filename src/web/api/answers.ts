import type { components, paths } from '../../client/openapi.ts'

type Schemas = components['schemas']
type Answer<Path extends keyof paths> = paths[Path]['get'] extends { responses: { 200: { content: { 'application/json': infer Body } } } }
  ? Body
  : never

export type Unit = 'milliseconds' | 'percentage' | 'score' | 'count'
type InUnit<T> = Omit<T, 'unit'> & { readonly unit: Unit }
export type Metric = InUnit<Schemas['CheckType']['metrics'][number]>
export type CheckType = Omit<Schemas['CheckType'], 'metrics'> & { readonly metrics: readonly Metric[] }
export type Check = Schemas['Check']
export type CheckDefinition = Answer<'/v1/checks/{id}/definition'>
/** A write, with who made it and what it changed. */
export type AuditEntry = Answer<'/v1/audit'>['entries'][number]
export type FieldChange = AuditEntry['changes'][number]
export type DeletedCheck = Answer<'/v1/deleted-checks'>[number]
/** A managed check that is stored, but not run. */
export type FaultyCheck = Answer<'/v1/faulty-checks'>[number]
/** A managed group. */
export type CheckGroup = Answer<'/v1/check-groups'>[number]
export type CheckStatus = Schemas['CheckStatus']
export type LocationStatus = CheckStatus['locations'][number]
export type State = CheckStatus['state']
/** One entry of the summary of many checks; figures have names such as `responseTime_p95`. */
export type Summary = Schemas['Summary']
export type Hour = NonNullable<Summary['data']>[number]
export type Maintenance = Schemas['Maintenance']
export type Outage = Schemas['Outage']
export type Slo = Schemas['Slo']
export type Alert = Answer<'/v1/alerts'>['alerts'][number]
export type AlertMessage = Alert['messages'][number]
export type AlertSilence = Answer<'/v1/silences'>[number]
export type AlertChannel = Answer<'/v1/alert-channels'>[number]
export type AlertRule = Answer<'/v1/alert-rules'>[number]
export type AlertReplay = Answer<'/v1/alerts/replay'>
export type ChannelTest = { readonly outcome: 'delivered' | 'retry' | 'broken'; readonly answer: string }
/** Of the key. */
export type Caller = Answer<'/next/users/me'>
export type LocationEntry = Schemas['Location']
export type AgentEntry = LocationEntry['agents'][number]
export type Failures = Answer<'/v1/analytics/failures'>
export type Failure = Schemas['Failure']
export type RunResult = Schemas['CheckResult']
/** A result with the evidence of its run. */
export type OneResult = Answer<'/v1/check-results/{id}/{resultId}'>
/** A result that may be stored or not. */
export type ShownRun = RunResult & { readonly evidence: OneResult['evidence'] }
/** A definition that was run once, and not stored. */
export type TriedRun = ShownRun & {
  readonly checkType: string
  readonly createAt: string
  readonly definition: Readonly<Record<string, unknown>>
  readonly yaml: string
}
export type Evidence = NonNullable<OneResult['evidence']>
export type Attempt = Evidence['attempts'][number]
type ReportBody = Schemas['Report']
/** A part of a window in which a check stands in one state. */
export type StateInterval = NonNullable<ReportBody['intervals']>[number]
export type Row = ReportBody['series'][number]['data'][number]
export type Series = { readonly data: readonly Row[] } & Readonly<Record<string, unknown>>
export type Report = Pick<ReportBody, 'name' | 'from' | 'to'> & {
  readonly series: readonly Series[]
  readonly metadata: Readonly<Record<string, InUnit<ReportBody['metadata'][string]>>>
}
