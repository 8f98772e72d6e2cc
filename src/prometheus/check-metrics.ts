import type { Check } from '../catalogue/catalogue.ts'
import { currentResults } from '../store/current-state.ts'
import type { Latest, Result } from '../store/store.ts'
import { type CheckTotals, durationBoundsMs, type LocationTotals, type MissingTotals } from '../store/totals.ts'
import { type ExpositionFormat, type Family, familyHeader, histogramSamples, labelText, sample } from '../text/exposition.ts'
import { checkFamilies } from './check-families.ts'
import { runGauges } from './run-gauges.ts'

export type ScrapedCheck = {
  readonly check: Check
  readonly totals: CheckTotals | MissingTotals
  readonly latest: Latest | undefined
  readonly inMaintenance: boolean
}

/** Yields the metrics of some checks one family at a time, since the format requires each family in one block. */
export function* checkMetrics(scraped: readonly ScrapedCheck[], format: ExpositionFormat, now: number): Generator<string> {
  for (const { family, samplesOf } of renderers) {
    yield familyHeader(family, format)
    for (const one of scraped) yield samplesOf(one, now)
  }
}

type Renderer = { readonly family: Family; readonly samplesOf: (scraped: ScrapedCheck, now: number) => string }

const ofCheck = (family: Family, render: (check: Check) => string): Renderer => {
  const text = memoized<Check>(render)
  return { family, samplesOf: ({ check }) => text(check, check) }
}

const ofTotals = (family: Family, render: (total: LocationTotals, labels: string, check: Check) => string): Renderer => {
  const text = memoized<CheckTotals>((check, totals) =>
    totals.map((total) => render(total, labelText({ check: check.id, location: total.location }), check)).join(''),
  )
  return { family, samplesOf: ({ check, totals }) => (typeof totals === 'string' ? '' : text(check, totals)) }
}

type ChooseResults = (scraped: ScrapedCheck, now: number) => readonly Result[]

const ofResults = (family: Family, choose: ChooseResults, read: (result: Result, check: Check) => number | null): Renderer => {
  const text = memoized<Result>((check, result) => {
    const value = read(result, check)
    return value === null ? '' : sample(family, labelText({ check: check.id, location: result.runLocation }), value)
  })
  const samplesOf: Renderer['samplesOf'] = (scraped, now) =>
    choose(scraped, now).reduce((all, result) => all + text(scraped.check, result), '')
  return { family, samplesOf }
}

/** Caches the rendered samples of each source object: most checks have no new results between two scrapes. */
function memoized<Source extends object>(render: (check: Check, source: Source) => string): (check: Check, source: Source) => string {
  const texts = new WeakMap<Source, { readonly check: Check; readonly text: string }>()
  return (check, source) => {
    const known = texts.get(source)
    if (known?.check === check) return known.text
    const text = render(check, source)
    texts.set(source, { check, text })
    return text
  }
}

/** Tags between commas, so that a pattern such as `.*,shop,.*` finds one of them. */
function infoLabels({ id, name, checkType, tags }: Check) {
  return { check: id, name, type: checkType.type, tags: tags.length === 0 ? '' : `,${tags.toSorted().join(',')},` }
}

const lastOfAll: ChooseResults = ({ latest }) => latest?.byLocation ?? []
const lastOfCurrent: ChooseResults = ({ check, latest }, now) => currentResults(check, latest, now)

function resultSamples(total: LocationTotals, labels: string): string {
  return (['passed', 'degraded', 'failed'] as const)
    .map((outcome) => sample(checkFamilies.results, `${labels},outcome="${outcome}"`, total[outcome]))
    .join('')
}

const durationBounds = durationBoundsMs.map((bound) => bound / 1000)

function durationSamples({ buckets, durationMicros }: LocationTotals, labels: string): string {
  return histogramSamples(checkFamilies.duration, labels, { bounds: durationBounds, buckets, sum: durationMicros / 1e6 })
}

const { info, tag, active, muted, maintenance, period, results, retries, duration, uncounted, lastResult } = checkFamilies

const uncountedRenderer: Renderer = {
  family: uncounted,
  samplesOf: ({ check, totals }) =>
    typeof totals === 'string' ? sample(uncounted, labelText({ check: check.id, reason: totals }), 1) : '',
}

const maintenanceRenderer: Renderer = {
  family: maintenance,
  samplesOf: ({ check, inMaintenance }) => sample(maintenance, labelText({ check: check.id }), inMaintenance ? 1 : 0),
}

const renderers: readonly Renderer[] = [
  ofCheck(info, (check) => sample(info, labelText(infoLabels(check)), 1)),
  ofCheck(tag, ({ id, tags }) => tags.map((name) => sample(tag, labelText({ check: id, tag: name }), 1)).join('')),
  ofCheck(active, ({ id, activated }) => sample(active, labelText({ check: id }), activated ? 1 : 0)),
  ofCheck(muted, (check) => sample(muted, labelText({ check: check.id }), check.muted ? 1 : 0)),
  maintenanceRenderer,
  ofCheck(period, ({ id, everyMs }) => sample(period, labelText({ check: id }), everyMs / 1000)),
  ofTotals(results, resultSamples),
  ofTotals(retries, (total, labels) => sample(retries, labels, total.retries)),
  ofTotals(duration, (total, labels, { checkType }) => (checkType.duration === null ? '' : durationSamples(total, labels))),
  uncountedRenderer,
  ofResults(lastResult, lastOfAll, ({ startedAt }) => startedAt / 1000),
  ...runGauges.map(({ family, read }) => ofResults(family, lastOfCurrent, (result, { checkType }) => read(result, checkType))),
]
