import { numberOf, plainText } from '../fields.ts'
import type { KumaDatabase } from './database.ts'

export type KumaSettings = { readonly timezone: string; readonly certificateDays: readonly number[] }

export function kumaSettings(database: KumaDatabase): KumaSettings {
  const values = new Map(database.all('setting').map(({ key, value }) => [plainText(key), parsedJson(plainText(value))]))
  const days = values.get('tlsExpiryNotifyDays')
  const timezone = values.get('serverTimezone')
  return {
    timezone: typeof timezone === 'string' && timezone !== '' ? timezone : 'UTC',
    certificateDays: Array.isArray(days) ? days.map(numberOf).filter((day) => day !== null) : [7, 14, 21],
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
