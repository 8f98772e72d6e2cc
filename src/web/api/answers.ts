import type { components } from '../../client/openapi.ts'

type Schemas = components['schemas']

export type Unit = 'milliseconds' | 'percentage' | 'score' | 'count'
type InUnit<T> = Omit<T, 'unit'> & { readonly unit: Unit }
export type Metric = InUnit<Schemas['CheckType']['metrics'][number]>
export type CheckType = Omit<Schemas['CheckType'], 'metrics'> & { readonly metrics: readonly Metric[] }
export type Check = Schemas['Check']
export type CheckDefinition = Schemas['CheckDefinition']
export type Audit = Schemas['Audit']
export type AuditEntry = Schemas['AuditEntry']
export type FieldChange = Schemas['FieldChange']
export type Versions = Schemas['Versions']
export type DeletedCheck = Schemas['DeletedCheck']
export type Fault = Schemas['Fault']
export type DryRun = Schemas['DryRun']
/** A managed check that is stored but not run, because its definition is invalid. */
export type FaultyCheck = Schemas['FaultyCheck']
export type CheckGroup = Schemas['CheckGroup']
export type BulkChange = Schemas['BulkChange']
export type BulkDelete = Schemas['BulkDelete']
export type CheckStatus = Schemas['CheckStatus']
export type LocationStatus = CheckStatus['locations'][number]
export type State = CheckStatus['state']
/** One entry of the summary of many checks; metrics have names such as `responseTime_p95`. */
export type Summary = Schemas['Summary']
export type Hour = NonNullable<Summary['data']>[number]
export type Maintenance = Schemas['Maintenance']
export type Outages = Schemas['Outages']
export type Outage = Schemas['Outage']
export type Slo = Schemas['Slo']
export type Alert = Schemas['Alert']
export type AlertMessage = Schemas['AlertMessage']
export type AlertSilence = Schemas['Silence']
export type AlertChannel = Schemas['AlertChannel']
export type AlertRule = Schemas['AlertRule']
export type AlertReplay = Schemas['AlertReplay']
export type ChannelTest = Schemas['ChannelTest']
/** The key used by the page. */
export type Caller = Schemas['User']
export type LocationEntry = Schemas['Location']
export type AgentEntry = Schemas['Agent']
export type Failures = Schemas['Failures']
export type Failure = Schemas['Failure']
export type RunResult = Schemas['CheckResult']
export type OneResult = Schemas['CheckResultDetails']
/** A stored result, or the unsaved result of a trial. */
export type ShownRun = RunResult & { readonly evidence: OneResult['evidence'] }
/** The result of a trial: a definition that was run once without storing anything. */
export type TriedRun = ShownRun & {
  readonly checkType: string
  readonly createAt: string
  readonly definition: Readonly<Record<string, unknown>>
  readonly yaml: string
}
export type Evidence = Schemas['Evidence']
export type Attempt = Schemas['Attempt']
type ReportBody = Schemas['Report']
/** A part of a window in which a check stays in one state. */
export type StateInterval = Schemas['StateInterval']
export type Row = ReportBody['series'][number]['data'][number]
export type Series = { readonly data: readonly Row[] } & Readonly<Record<string, unknown>>
export type Report = Pick<ReportBody, 'name' | 'from' | 'to'> & {
  readonly series: readonly Series[]
  readonly metadata: Readonly<Record<string, InUnit<ReportBody['metadata'][string]>>>
}
