import { minuteMs } from '../../time.ts'
import type { WithAlertFields } from './alert-fields.ts'
import type { AlertRule } from './policies.ts'

type SettledCheck = WithAlertFields & { readonly locations: readonly string[]; readonly runParallel: boolean }

/** The effective rule for one check: a rule of a subscription takes the alert settings of the check. */
export function ruleForCheck(rule: AlertRule, check: SettledCheck): AlertRule {
  if (rule.subscription === undefined) return rule
  const settings = alertSettingsOf(check)
  const key = JSON.stringify(settings)
  const known = variants.get(rule) ?? new Map<string, AlertRule>()
  variants.set(rule, known)
  const found = known.get(key) ?? { ...rule, ...settings }
  known.set(key, found)
  return found
}

/** Memoized, because most checks have the same settings. */
const variants = new WeakMap<AlertRule, Map<string, AlertRule>>()

type Settled = Pick<AlertRule, 'after' | 'quorum' | 'remind'>

function alertSettingsOf(check: SettledCheck): Settled {
  const { useGlobalAlertSettings = true, alertSettings } = check.clientFields ?? {}
  if (useGlobalAlertSettings || !alertSettings) return { after: { runs: 1 }, quorum: 1, remind: null }
  const { escalationType, runBasedEscalation, timeBasedEscalation, reminders, parallelRunFailureThreshold: parallel } = alertSettings
  const share = parallel.enabled && check.runParallel ? parallel.percentage / 100 : 0
  return {
    after:
      escalationType === 'TIME_BASED'
        ? { timeMs: timeBasedEscalation.minutesFailingThreshold * minuteMs }
        : { runs: runBasedEscalation.failedRunThreshold },
    quorum: Math.max(1, Math.ceil(share * check.locations.length)),
    remind: reminders.amount > 0 ? { everyMs: reminders.interval * minuteMs, times: reminders.amount } : null,
  }
}
