import type { Severity } from '../../alerts/channels/message.ts'
import { minuteMs } from '../../time.ts'
import type { AlertRule, AlertStep, AlertTrigger } from './policies.ts'

export const ruleDefaults: Pick<AlertRule, 'when' | 'after' | 'recoverAfter' | 'quorum'> = {
  when: { kind: 'failing' },
  after: { runs: 1 },
  recoverAfter: { runs: 1 },
  quorum: 1,
}

export const stepDefaults: Pick<AlertStep, 'afterMs' | 'during' | 'outside'> = { afterMs: 0, during: null, outside: 'hold' }

export const defaultCertificateDays: readonly number[] = [30, 14, 7, 1]

/** In the notation of the config file: the pairs of the SRE workbook, and one for slow burns over a day. */
export const defaultBurnPairs = [
  { factor: 14.4, long: '1h', short: '5m' },
  { factor: 6, long: '6h', short: '30m' },
  { factor: 3, long: '1d', short: '2h' },
  { factor: 1, long: '3d', short: '6h' },
] as const

export const defaultSeverity = ({ kind }: AlertTrigger): Severity => (kind === 'failing' ? 'critical' : 'warning')

/** Without grouping, nothing has to wait. */
export const defaultWaitMs = (by: AlertRule['group']['by']) => (by === 'none' ? 0 : 30_000)

export const defaultDeadManEveryMs = minuteMs
