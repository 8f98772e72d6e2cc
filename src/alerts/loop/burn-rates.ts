import type { Check } from '../../catalogue/catalogue.ts'
import type { BurnPair, Slo } from '../../catalogue/policies/policies.ts'
import { rhythmOf } from '../../catalogue/rhythm.ts'
import { minuteMs } from '../../time.ts'
import type { BurnFacts, MeasuredBurn } from '../decide/input.ts'
import type { AlertPlan } from '../decide/plan.ts'

/** The burn rate of a budget in a window that ends now, and its bad runs. */
export type BurnMeasurement = { readonly rate: number; readonly badRuns: number }
/** The attained percentage of a window and the used part of the budget; null if nothing counts. */
type Attained = { readonly attained: number | null; readonly used: number; readonly unit: 'runs' | 'seconds' }

export function burnMeasurement(
  { attained, used, unit }: Attained,
  { target, leastPeriodMs }: { readonly target: number; readonly leastPeriodMs: number },
): BurnMeasurement | null {
  if (attained === null) return null
  const badRuns = unit === 'runs' ? used : (used * 1000) / leastPeriodMs
  return { rate: (100 - attained) / (100 - target), badRuns: Math.floor(badRuns + 1e-9) }
}

/** The period of the check that runs most often. */
export const leastPeriod = (checks: readonly Check[]): number => Math.min(...checks.map((check) => rhythmOf(check).periodMs))

/** Null if nothing counts in one of the windows. */
export function burnFacts(long: BurnMeasurement | null, short: BurnMeasurement | null): BurnFacts | null {
  return long && short ? { long: long.rate, short: short.rate, badRuns: long.badRuns } : null
}

export type MeasureBurn = (account: string, slo: Slo, windowMs: number, signal: AbortSignal) => Promise<BurnMeasurement | null>

type Options = {
  readonly measure: MeasureBurn
  readonly plans: () => readonly AlertPlan[]
  readonly onMeasured: (account: string) => void
  readonly onFailure: (account: string, slo: string, error: unknown) => void
}

/** Measures the burn rates that rules use, once a minute. */
export function watchBurnRates({ measure, plans, onMeasured, onFailure }: Options) {
  const measured = new Map<string, BurnMeasurement | null>()
  const closing = new AbortController()
  let measuring: Promise<void> | null = null

  async function measureAll(): Promise<void> {
    const current = new Set<string>()
    for (const plan of plans()) {
      const account = plan.account.id
      const wanted = wantedWindows(plan)
      for (const { slo, windows } of wanted) {
        for (const windowMs of windows) {
          if (closing.signal.aborted) return
          const key = keyOf(account, slo, windowMs)
          current.add(key)
          try {
            measured.set(key, await measure(account, slo, windowMs, closing.signal))
          } catch (error) {
            measured.delete(key)
            if (!closing.signal.aborted) onFailure(account, slo.id, error)
          }
        }
      }
      if (wanted.length > 0) onMeasured(account)
    }
    for (const key of measured.keys()) if (!current.has(key)) measured.delete(key)
  }

  const tick = (): Promise<void> => {
    measuring ??= measureAll().finally(() => {
      measuring = null
    })
    return measuring
  }
  const timer = setInterval(() => void tick(), minuteMs).unref()

  return {
    of(account: string, slo: Slo, { longMs, shortMs }: BurnPair): MeasuredBurn {
      const [long, short] = [measured.get(keyOf(account, slo, longMs)), measured.get(keyOf(account, slo, shortMs))]
      return long === undefined || short === undefined ? 'unmeasured' : burnFacts(long, short)
    },
    /** Measures at once, for example after a start. */
    tick,
    async close() {
      clearInterval(timer)
      closing.abort()
      await measuring
    },
  }
}

/** The whole SLO: one that has changed must be measured again. */
const keyOf = (account: string, slo: Slo, windowMs: number) => JSON.stringify([account, slo, windowMs])

/** The SLOs that rules use, with their windows. */
export function wantedWindows({
  policies,
  rules,
  slosOf,
}: AlertPlan): readonly { readonly slo: Slo; readonly windows: readonly number[] }[] {
  return policies.slos.flatMap((slo) => {
    const pairs = [...rules.values()].flatMap((rule) =>
      rule.when.kind === 'sloBurn' && slosOf.get(rule)?.includes(slo) ? rule.when.pairs : [],
    )
    const windows = [...new Set(pairs.flatMap(({ longMs, shortMs }) => [longMs, shortMs]))]
    return windows.length === 0 ? [] : [{ slo, windows }]
  })
}
