import type { Check } from '../catalogue/catalogue.ts'
import { currentResults } from '../store/state.ts'
import type { Latest, Result } from '../store/store.ts'
import { type CheckTotals, durationBoundsMs, type LocationTotals } from '../store/totals.ts'
import { type ExpositionFormat, type Family, familyHeader, histogramSamples, labelText, sample } from '../text/exposition.ts'
import { checkFamilies } from './check-families.ts'
import { runGauges } from './run-gauges.ts'

export type ScrapedCheck = { readonly check: Check; readonly totals: CheckTotals; readonly latest: Latest | undefined }

/** The families of some checks, in pieces: each family as a whole, as the format wants it. */
export function* checkMetrics(scraped: readonly ScrapedCheck[], format: ExpositionFormat, now: number): Generator<string> {
  for (const [family, samplesOf] of familiesAt(now)) {
    yield familyHeader(family, format)
    for (const one of scraped) yield samplesOf(one)
  }
}

type SamplesOf = (scraped: ScrapedCheck) => string

function familiesAt(now: number): readonly (readonly [Family, SamplesOf])[] {
  const { info, tag, active, period, results, retries, duration, lastResult } = checkFamilies
  return [
    [info, ({ check }) => sample(info, labelText(infoLabels(check)), 1)],
    [tag, ({ check: { id, tags } }) => tags.map((name) => sample(tag, labelText({ check: id, tag: name }), 1)).join('')],
    [active, ({ check: { id, activated } }) => sample(active, labelText({ check: id }), activated ? 1 : 0)],
    [period, ({ check: { id, everyMs } }) => sample(period, labelText({ check: id }), everyMs / 1000)],
    [results, ({ check, totals }) => counterTexts(check, totals).results],
    [retries, ({ check, totals }) => counterTexts(check, totals).retries],
    [duration, ({ check, totals }) => counterTexts(check, totals).duration],
    [lastResult, ({ check, latest }) => gaugeSamples(lastResult, check, latest?.byLocation ?? [], ({ startedAt }) => startedAt / 1000)],
    ...runGauges.map(({ family, read }): readonly [Family, SamplesOf] => [
      family,
      ({ check, latest }) => gaugeSamples(family, check, currentResults(check, latest, now), (last) => read(last, check.checkType)),
    ]),
  ]
}

function gaugeSamples(family: Family, { id }: Check, results: readonly Result[], read: (result: Result) => number | null): string {
  return results
    .map((result) => {
      const value = read(result)
      return value === null ? '' : sample(family, labelText({ check: id, location: result.runLocation }), value)
    })
    .join('')
}

/** Tags between commas, so that a pattern such as `.*,shop,.*` finds one of them. */
function infoLabels({ id, name, checkType, tags }: Check) {
  return { check: id, name, type: checkType.type, tags: tags.length === 0 ? '' : `,${tags.toSorted().join(',')},` }
}

type CounterTexts = { readonly results: string; readonly retries: string; readonly duration: string }

/** Memoized by totals: most checks have no new results between two scrapes. */
const texts = new WeakMap<CheckTotals, CounterTexts>()

function counterTexts({ id, checkType }: Check, totals: CheckTotals): CounterTexts {
  const known = texts.get(totals)
  if (known) return known
  const byLocation = totals.map((total) => ({ total, labels: labelText({ check: id, location: total.location }) }))
  const text = (samplesOf: (total: LocationTotals, labels: string) => string) =>
    byLocation.map(({ total, labels }) => samplesOf(total, labels)).join('')
  const made = {
    results: text(resultSamples),
    retries: text((total, labels) => sample(checkFamilies.retries, labels, total.retries)),
    duration: checkType.duration === null ? '' : text(durationSamples),
  }
  texts.set(totals, made)
  return made
}

function resultSamples(total: LocationTotals, labels: string): string {
  return (['passed', 'degraded', 'failed'] as const)
    .map((outcome) => sample(checkFamilies.results, `${labels},outcome="${outcome}"`, total[outcome]))
    .join('')
}

const durationBounds = durationBoundsMs.map((bound) => bound / 1000)

function durationSamples({ buckets, durationMicros }: LocationTotals, labels: string): string {
  return histogramSamples(checkFamilies.duration, labels, { bounds: durationBounds, buckets, sum: durationMicros / 1e6 })
}
