import { numberOf, plainText } from '../fields.ts'
import type { KumaDatabase } from './database.ts'

export type KumaSettings = {
  readonly timezone: string
  readonly certificateDays: readonly number[]
  /** How long results are kept; null where that is not set. */
  readonly keptDays: number | null
}

export function kumaSettings(database: KumaDatabase): KumaSettings {
  const values = new Map(database.all('setting').map(({ key, value }) => [plainText(key), parsedJson(plainText(value))]))
  const days = values.get('tlsExpiryNotifyDays')
  const keptDays = numberOf(values.get('keepDataPeriodDays'))
  const timezone = values.get('serverTimezone')
  return {
    timezone: typeof timezone === 'string' && timezone !== '' ? timezone : 'UTC',
    certificateDays: Array.isArray(days) ? days.map(numberOf).filter((day) => day !== null) : [7, 14, 21],
    keptDays: keptDays === null || keptDays >= 1 ? keptDays : Number.POSITIVE_INFINITY,
  }
}

/** The value of a JSON text; undefined where it is none. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
