import type { BurnPair, Slo } from '../../catalogue/policies/policies.ts'
import { minuteMs } from '../../time.ts'
import type { BurnFacts } from '../decide/input.ts'
import type { AlertPlan } from '../decide/plan.ts'

/** How fast a budget was burnt in a window that ends now, and how many of its runs were bad. Null where nothing counts. */
export type BurnMeasurement = { readonly rate: number; readonly badRuns: number }
export type MeasureBurn = (account: string, slo: Slo, windowMs: number, signal: AbortSignal) => Promise<BurnMeasurement | null>

type Options = {
  readonly measure: MeasureBurn
  readonly plans: () => readonly AlertPlan[]
  readonly onMeasured: (account: string) => void
  readonly onFailure: (account: string, slo: string, error: unknown) => void
}

/** Measures the burn rates that rules ask for, once a minute. */
export function watchBurnRates({ measure, plans, onMeasured, onFailure }: Options) {
  const measured = new Map<string, BurnMeasurement | null>()
  const closing = new AbortController()
  let measuring: Promise<void> | null = null

  async function measureAll(): Promise<void> {
    for (const plan of plans()) {
      const account = plan.account.id
      const wanted = wantedWindows(plan)
      for (const { slo, windows } of wanted) {
        for (const windowMs of windows) {
          if (closing.signal.aborted) return
          try {
            measured.set(keyOf(account, slo.id, windowMs), await measure(account, slo, windowMs, closing.signal))
          } catch (error) {
            if (!closing.signal.aborted) onFailure(account, slo.id, error)
          }
        }
      }
      if (wanted.length > 0) onMeasured(account)
    }
  }

  const tick = () => {
    measuring ??= measureAll().finally(() => {
      measuring = null
    })
  }
  const timer = setInterval(tick, minuteMs).unref()

  return {
    of(account: string, slo: Slo, { longMs, shortMs }: BurnPair): BurnFacts | null {
      const long = measured.get(keyOf(account, slo.id, longMs))
      const short = measured.get(keyOf(account, slo.id, shortMs))
      return long && short ? { long: long.rate, short: short.rate, badRuns: long.badRuns } : null
    },
    /** Measures at once, as after a start. */
    tick,
    async close() {
      clearInterval(timer)
      closing.abort()
      await measuring
    },
  }
}

const keyOf = (account: string, slo: string, windowMs: number) => JSON.stringify([account, slo, windowMs])

function wantedWindows({ policies, rules, slosOf }: AlertPlan): readonly { readonly slo: Slo; readonly windows: readonly number[] }[] {
  return policies.slos.flatMap((slo) => {
    const pairs = [...rules.values()].flatMap((rule) =>
      rule.when.kind === 'sloBurn' && slosOf.get(rule)?.includes(slo) ? rule.when.pairs : [],
    )
    const windows = [...new Set(pairs.flatMap(({ longMs, shortMs }) => [longMs, shortMs]))]
    return windows.length === 0 ? [] : [{ slo, windows }]
  })
}
