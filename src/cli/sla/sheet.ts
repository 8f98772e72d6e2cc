import { hash } from 'node:crypto'
import type { SealedSheet, Sheet, SheetCheck, SheetPolicy, SheetTotal } from './sheet-schema.ts'

export const timeFields = ['upSeconds', 'degradedSeconds', 'downSeconds', 'maintenanceSeconds', 'unknownSeconds'] as const

/** Pooled figures of all checks: runs and seconds are summed, so each run and each second counts once. */
export function totalOf(checks: readonly Pick<SheetCheck, 'byRuns' | 'byTime' | 'outages'>[], { degraded }: SheetPolicy): SheetTotal {
  const runs = (field: 'total' | 'success') => checks.reduce((sum, { byRuns }) => sum + byRuns[field], 0)
  const seconds = (field: (typeof timeFields)[number]) => addSeconds(checks.map(({ byTime }) => byTime[field]))
  const [upSeconds, degradedSeconds, downSeconds] = [seconds('upSeconds'), seconds('degradedSeconds'), seconds('downSeconds')]
  const good = degraded === 'down' ? upSeconds : addSeconds([upSeconds, degradedSeconds])
  return {
    byRuns: { total: runs('total'), success: runs('success'), availability: share(runs('success'), runs('total')) },
    byTime: {
      availability: share(good, addSeconds([upSeconds, degradedSeconds, downSeconds])),
      upSeconds,
      degradedSeconds,
      downSeconds,
      maintenanceSeconds: seconds('maintenanceSeconds'),
      unknownSeconds: seconds('unknownSeconds'),
    },
    outages: checks.reduce((sum, { outages }) => sum + outages.length, 0),
  }
}

/** The SHA-256 of the sheet as compact JSON. */
export function fingerprintOf(sheet: Sheet): string {
  return hash('sha256', JSON.stringify(sheet))
}

export function sealedText(sheet: Sheet): string {
  return JSON.stringify({ sheet, fingerprint: fingerprintOf(sheet) } satisfies SealedSheet)
}

/** Adds whole milliseconds, which are exact. */
function addSeconds(parts: readonly number[]): number {
  return parts.reduce((sum, part) => sum + Math.round(part * 1000), 0) / 1000
}

const share = (good: number, counted: number) => (counted === 0 ? null : (good / counted) * 100)
