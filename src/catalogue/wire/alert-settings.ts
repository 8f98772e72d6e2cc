import { isDeepStrictEqual } from 'node:util'
import type { WireReader } from '../../checks/wire-reader.ts'
import type { ClientFields } from '../config-file/config-schema.ts'

type AlertSettings = NonNullable<ClientFields['alertSettings']>

/** The default: the first failing run alerts, without reminders. */
const plainSettings: AlertSettings = {
  escalationType: 'RUN_BASED',
  runBasedEscalation: { failedRunThreshold: 1 },
  timeBasedEscalation: { minutesFailingThreshold: 5 },
  reminders: { amount: 0, interval: 5 },
  parallelRunFailureThreshold: { enabled: false, percentage: 10 },
}

/** When a check alerts its managed channels. Alert rules of the config file have their own settings. */
export function readAlertSettings(body: WireReader): Pick<ClientFields, 'useGlobalAlertSettings' | 'alertSettings'> {
  const isGlobal = body.flag('useGlobalAlertSettings') ?? true
  const settings = settingsIn(body.object('alertSettings'))
  return {
    ...(!isGlobal && { useGlobalAlertSettings: false }),
    ...(!isDeepStrictEqual(settings, plainSettings) && { alertSettings: settings }),
  }
}

/** The managed channels that alert on a check. */
export function readSubscriptions(body: WireReader): ClientFields['alertChannelSubscriptions'] {
  const all = body.objects('alertChannelSubscriptions').map((subscription) => {
    subscription.ignore('id', 'checkId', 'groupId')
    const alertChannelId = subscription.number('alertChannelId') ?? 0
    if (!(Number.isSafeInteger(alertChannelId) && alertChannelId > 0))
      subscription.fault('alertChannelId', 'alertChannelId must be the id of a channel')
    return { alertChannelId, activated: subscription.flag('activated') ?? true }
  })
  return all.length > 0 ? all : undefined
}

/** Responses always include both fields, because clients fail without them. */
export function writeAlertSettings({ useGlobalAlertSettings, alertSettings }: ClientFields = {}) {
  return { useGlobalAlertSettings: useGlobalAlertSettings ?? true, alertSettings: alertSettings ?? plainSettings }
}

const escalations = { RUN_BASED: 'RUN_BASED', TIME_BASED: 'TIME_BASED' } as const

function settingsIn(given: WireReader): AlertSettings {
  given.ignore('sslCertificates')
  const [runs, time] = [given.object('runBasedEscalation'), given.object('timeBasedEscalation')]
  const reminders = given.object('reminders')
  const parallel = given.object('parallelRunFailureThreshold')
  return {
    escalationType: given.word('escalationType', escalations) ?? plainSettings.escalationType,
    runBasedEscalation: { failedRunThreshold: whole(runs, 'failedRunThreshold', [1, 1000]) || 1 },
    timeBasedEscalation: { minutesFailingThreshold: whole(time, 'minutesFailingThreshold', [1, 10_080]) || 5 },
    reminders: { amount: whole(reminders, 'amount', [0, 100_000]), interval: whole(reminders, 'interval', [1, 1440]) || 5 },
    parallelRunFailureThreshold: { enabled: parallel.flag('enabled') ?? false, percentage: whole(parallel, 'percentage', [1, 100]) || 10 },
  }
}

/** 0 if the field is missing, because clients send 0 for an unset value. */
function whole(given: WireReader, name: string, [least, most]: readonly [number, number]): number {
  const value = given.number(name) ?? 0
  if (value === 0 || (Number.isInteger(value) && value >= least && value <= most)) return value
  given.fault(name, `${name} must be a whole number from ${least} to ${most.toLocaleString('en-US')}`)
  return 0
}
