import type { ConversionDraft } from '../draft.ts'
import { configDuration } from '../durations.ts'
import { numberOf, plainText } from '../fields.ts'
import type { KumaChannels } from './channels.ts'
import type { KumaRow } from './database.ts'
import type { KumaSettings } from './settings.ts'

type Alerted = {
  readonly monitor: number
  readonly item: string
  readonly row: KumaRow
  readonly channels: KumaChannels
  readonly settings: KumaSettings
  readonly draft: ConversionDraft
}

const minRemindMs = 60_000
const maxRemindMs = 30 * 86_400_000
const maxReminders = 1000

/** The ids of a monitor's alert rules. Monitors with the same channels and reminder interval share a rule. */
export function alertsOf({ monitor, item, row, channels, settings, draft }: Alerted): readonly string[] {
  const to = channels.of(monitor)
  if (to.length === 0) return []
  const every = (numberOf(row.resend_interval) ?? 0) * (numberOf(row.interval) ?? 60) * 1000
  const everyMs = Math.min(maxRemindMs, Math.max(minRemindMs, every))
  const remind = every > 0 ? { every: configDuration(everyMs), times: maxReminders } : null
  const changed = (why: string) => draft.changed(item, 'resend_interval', why)
  if (remind && everyMs !== every) changed('Reminders are sent at least a minute and at most 30 days apart.')
  if (remind && everyMs * maxReminders < maxRemindMs) changed(`Reminders end after ${maxReminders}.`)
  const failing = draft.addRule(`failing-${to.join('-')}`.slice(0, 60), { to, ...(remind && { remind }) })
  const watchesCertificate = /^https:/i.test(plainText(row.url)) && numberOf(row.expiry_notification ?? 0) === 1
  const days = [...new Set(settings.certificateDays.filter(isDayCount))].toSorted((a, b) => b - a).slice(0, 20)
  if (!watchesCertificate || days.length === 0) return [failing]
  return [failing, draft.addRule(`certificate-${to.join('-')}`.slice(0, 60), { when: { certificate: { days } }, to })]
}

const isDayCount = (day: number) => Number.isInteger(day) && day >= 0 && day <= 825
