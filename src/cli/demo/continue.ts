import { type Check, refOf } from '../../catalogue/catalogue.ts'
import type { CheckType } from '../../checks/define.ts'
import { runLocationsOf } from '../../checks/probe/pings.ts'
import { checkKey } from '../../ids/check-ref.ts'
import { evaluateRun } from '../../runner/evaluate.ts'
import type { NewResult } from '../../store/store.ts'
import { drawOf } from './invent.ts'
import { randomFrom } from './random.ts'
import { conditionsAt } from './scenario.ts'

type Values = NewResult['values']
type Typical = { readonly values: Values; readonly pages: NewResult['pages'] }

const remembered = 25
const draws = 101
/** A busy machine multiplies delays of a few milliseconds, so the variation is capped. */
const mostVariation = 2.5

/**
 * Live runs and their targets are all on this machine. Scaling makes their times continue the generated ones: typical values of the type,
 * distance of the location, and hour of the day. Outcome and relative variation stay those of the run.
 */
export function continueScenario(end: number): (check: Check, result: NewResult) => NewResult {
  const typicalOf = memoized(typicalRun)
  const medians = new Map<string, number[]>()

  function medianWith(name: string, value: number): number {
    const values = [...(medians.get(name) ?? []), value].slice(-remembered)
    medians.set(name, values)
    return median(values)
  }

  return (check, result) => {
    const { checkType, tags } = check
    const typical = typicalOf(checkType)
    const locationIndex = Math.max(0, runLocationsOf(check).indexOf(result.runLocation))
    const { level } = conditionsAt(end, { time: result.startedAt, locationIndex, tags })
    const scale = (place: string, values: Values, like: Values | undefined): Values =>
      mapValues(values, (name, value) => {
        const usual = like?.[name]
        if (checkType.metrics[name]?.unit !== 'milliseconds' || usual === undefined) return value
        const own = medianWith(`${checkKey(refOf(check))} ${place} ${name}`, value)
        const variation = own > 0 ? Math.min(mostVariation, value / own) : 1
        return Math.round(usual * variation * level * 1000) / 1000
      })
    const values = withDuration(checkType, scale('', result.values, typical.values))
    const pages = result.pages.map((page, index) => {
      const like = typical.pages[index]
      return { pageUrl: like?.pageUrl ?? page.pageUrl, values: scale(String(index), page.values, like?.values) }
    })
    return { ...result, values, pages, ...judged(check, result, values) }
  }
}

/** Applies the limits of the check again, because the times have changed. */
function judged(check: Check, { error, hasErrors, isDegraded, overMaxResponseTime }: NewResult, values: Values) {
  const failure = overMaxResponseTime ? null : error
  return evaluateRun(check, { metrics: values, failure, broken: hasErrors, degraded: isDegraded && check.degradedResponseTimeMs === null })
}

/** Recomputes the duration as the sum of its phases. */
function withDuration({ duration, phases }: CheckType, values: Values): Values {
  const parts = phases.map((name) => values[name])
  if (duration === null || parts.length === 0 || !parts.every((part) => part !== undefined)) return values
  return { ...values, [duration]: parts.reduce((sum, part) => sum + part, 0) }
}

/** Medians of generated runs, and of each page. */
function typicalRun({ demo }: CheckType): Typical {
  const random = randomFrom(1)
  const runs = Array.from({ length: draws }, () => demo.run(drawOf(1, false, random)))
  const pages = runs[0]?.pages ?? []
  return {
    values: mediansOf(runs.map(({ metrics }) => metrics)),
    pages: pages.map(({ pageUrl }, index) => ({
      pageUrl: String(pageUrl),
      values: mediansOf(runs.map((run) => ({ ...run.pages?.[index], pageUrl: null }))),
    })),
  }
}

function mediansOf(rows: readonly Readonly<Record<string, number | string | null>>[]): Values {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const measured = (name: string) => rows.map((row) => row[name]).filter((value) => typeof value === 'number')
  return Object.fromEntries(names.flatMap((name) => (measured(name).length === 0 ? [] : [[name, median(measured(name))]])))
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}

function mapValues(values: Values, change: (name: string, value: number) => number): Values {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(name, value)]))
}

function memoized<Key extends object, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const made = new Map<Key, Value>()
  return (key) => {
    const value = made.get(key) ?? make(key)
    made.set(key, value)
    return value
  }
}
