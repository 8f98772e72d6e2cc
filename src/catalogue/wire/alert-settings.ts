import { isDeepStrictEqual } from 'node:util'
import type { WireReader } from '../../checks/wire-reader.ts'
import type { ClientFields } from '../config-file/config-schema.ts'

type AlertSettings = NonNullable<ClientFields['alertSettings']>

/** Of a client that says nothing else: the first failing run is told, without reminders. */
const plainSettings: AlertSettings = {
  escalationType: 'RUN_BASED',
  runBasedEscalation: { failedRunThreshold: 1 },
  timeBasedEscalation: { minutesFailingThreshold: 5 },
  reminders: { amount: 0, interval: 5 },
  parallelRunFailureThreshold: { enabled: false, percentage: 10 },
}

/** Alert rules of the account decide, so that only settings which say no more than these are taken; they are read back as they were sent. */
export function readAlertSettings(body: WireReader): Pick<ClientFields, 'useGlobalAlertSettings' | 'alertSettings'> {
  const isGlobal = body.flag('useGlobalAlertSettings') ?? true
  const settings = settingsIn(body.object('alertSettings'))
  if (!isGlobal && !saysNoMore(settings))
    body.fault(
      'alertSettings',
      'alertSettings of one check are not supported: alert rules of the account say when and how often it is told',
    )
  return {
    ...(!isGlobal && { useGlobalAlertSettings: false }),
    ...(!isDeepStrictEqual(settings, plainSettings) && { alertSettings: settings }),
  }
}

/** Answers always have them: clients fail without. */
export function writeAlertSettings({ useGlobalAlertSettings, alertSettings }: ClientFields = {}) {
  return { useGlobalAlertSettings: useGlobalAlertSettings ?? true, alertSettings: alertSettings ?? plainSettings }
}

function saysNoMore({ escalationType, runBasedEscalation, reminders, parallelRunFailureThreshold }: AlertSettings): boolean {
  const isFirst = escalationType === 'RUN_BASED' && runBasedEscalation.failedRunThreshold === 1
  return isFirst && reminders.amount === 0 && !parallelRunFailureThreshold.enabled
}

const escalations = { RUN_BASED: 'RUN_BASED', TIME_BASED: 'TIME_BASED' } as const

function settingsIn(given: WireReader): AlertSettings {
  given.ignore('sslCertificates')
  const reminders = given.object('reminders')
  const parallel = given.object('parallelRunFailureThreshold')
  return {
    escalationType: given.word('escalationType', escalations) ?? plainSettings.escalationType,
    runBasedEscalation: { failedRunThreshold: given.object('runBasedEscalation').number('failedRunThreshold') || 1 },
    timeBasedEscalation: { minutesFailingThreshold: given.object('timeBasedEscalation').number('minutesFailingThreshold') || 5 },
    reminders: { amount: reminders.number('amount') ?? 0, interval: reminders.number('interval') || 5 },
    parallelRunFailureThreshold: { enabled: parallel.flag('enabled') ?? false, percentage: parallel.number('percentage') || 10 },
  }
}
