import type { Window } from '../../calendar/window.ts'
import type { Check } from '../../catalogue/catalogue.ts'
import { type Slo, selector } from '../../catalogue/policies/policies.ts'
import { type FiledResult, QueryTooLarge } from '../../store/store.ts'
import { minuteMs } from '../../time.ts'
import { readBurn } from '../decide/condition.ts'
import type { DecideInput } from '../decide/input.ts'
import type { AlertPlan } from '../decide/plan.ts'
import { type BurnMeasurement, burnFacts, burnMeasurement, leastPeriod, wantedWindows } from '../loop/burn-rates.ts'
import { countsPages, createBurnTotals, minutesOf } from './burn-totals.ts'

/** Burn rates over results in order of time, measured each whole minute, as the loop does. */
type ReplayedBurn = {
  /** When they are measured next; infinity if no rule uses burn rates. */
  nextAt(): number
  add(filed: FiledResult): void
  /** Measures; returns whether a finding of a rule has changed. */
  measure(): boolean
  readonly of: DecideInput['burn']
}

/** Ring buffer of totals at whole minutes; covers the longest window of an SLO. */
type Kept = { readonly counted: Float64Array; readonly bad: Float64Array; readonly leastPeriodMs: number }

/** All SLOs together; sixteen bytes per minute. */
const maxMinutes = 5_000_000

/** The checks of SLOs whose burn rates rules use. */
export function burnChecks(plan: AlertPlan): readonly Check[] {
  const wanted = wantedWindows(plan).map(({ slo }) => selector(slo))
  return [...plan.checks.values()].filter((check) => wanted.some((includes) => includes(check)))
}

/** Whether the pages of a check's results matter to a burn rate. */
export function pagesMatterTo(plan: AlertPlan): (check: Check) => boolean {
  const wanted = wantedWindows(plan).map(({ slo }) => ({ slo, includes: selector(slo) }))
  return (check) => wanted.some(({ slo, includes }) => includes(check) && countsPages(slo, check))
}

/** The longest window of the burn rates that rules use; 0 without any. */
export function longestBurnMs(plan: AlertPlan): number {
  return Math.max(0, ...wantedWindows(plan).flatMap(({ windows }) => windows))
}

/** Results are those of `window`. Before `from`, windows of burn rates are incomplete, so nothing is found. */
export function createReplayedBurn(plan: AlertPlan, window: Window, from: number): ReplayedBurn {
  const wanted = wantedWindows(plan)
  const lengths = wanted.map(({ slo, windows }) => ({ slo, minutes: minutesOf(Math.max(...windows)) + 1 }))
  if (lengths.reduce((sum, { minutes }) => sum + minutes, 0) > maxMinutes) throw tooLong()
  const kept = new Map(lengths.map(({ slo, minutes }) => [slo, keptFor(plan, slo, minutes)]))
  const totals = createBurnTotals(plan, [...kept.keys()], window)
  const questions = [...plan.rules.values()].flatMap((rule) => {
    const { when } = rule
    return when.kind === 'sloBurn' ? (plan.slosOf.get(rule) ?? []).map((slo) => ({ slo, pairs: when.pairs })) : []
  })
  let minute = minutesOf(window.from)
  let found = questions.map(() => 'neutral').join()

  function measurement(slo: Slo, windowMs: number): BurnMeasurement | null {
    const of = kept.get(slo)
    if (!of) return null
    const [to, start] = [place(of, minute), place(of, minute - minutesOf(windowMs))]
    const counted = at(of.counted, to) - at(of.counted, start)
    const bad = at(of.bad, to) - at(of.bad, start)
    const { target, by } = slo.objective
    const attained = counted === 0 ? null : ((counted - bad) / counted) * 100
    const budget = by === 'time' ? { unit: 'seconds' as const, used: bad / 1000 } : { unit: 'runs' as const, used: bad }
    return burnMeasurement({ attained, ...budget }, { target, leastPeriodMs: of.leastPeriodMs })
  }

  const burn: DecideInput['burn'] = (slo, { longMs, shortMs }) =>
    minute * minuteMs < from ? null : burnFacts(measurement(slo, longMs), measurement(slo, shortMs))

  return {
    nextAt: () => (kept.size === 0 ? Number.POSITIVE_INFINITY : (minute + 1) * minuteMs),
    add: totals.add,
    measure() {
      minute++
      totals.settle(minute)
      for (const [slo, of] of kept) {
        const { counted, bad } = totals.of(slo)
        of.counted[place(of, minute)] = counted
        of.bad[place(of, minute)] = bad
      }
      const before = found
      found = questions.map((question) => readBurn({ ...question, burn, now: 0 }).status).join()
      return found !== before
    },
    of: burn,
  }
}

function keptFor({ checks }: AlertPlan, slo: Slo, minutes: number): Kept {
  const own = [...checks.values()].filter(selector(slo))
  return { counted: new Float64Array(minutes), bad: new Float64Array(minutes), leastPeriodMs: leastPeriod(own) }
}

const place = ({ bad }: Kept, minute: number) => minute % bad.length
const at = (values: Float64Array, index: number) => values[index] as number

const tooLong = () => new QueryTooLarge('its rules use the burn rates of too many SLOs over windows that are too long')
