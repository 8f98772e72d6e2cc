import type { Rhythm } from '../../calendar/rhythm.ts'
import { hourMs } from '../../time.ts'
import { aggregations, type CheckRef, type MetricRef, type Result, type Window } from '../store.ts'
import type { Contents } from './contents.ts'

/** A question with a human-readable name. */
type SampleQuestion = { readonly name: string; readonly ask: (contents: Contents) => Promise<unknown> }

export type Sample = {
  readonly check: CheckRef
  readonly window: Window
  /** Some results of the window. */
  readonly results: readonly Result[]
  readonly rhythm: Rhythm
  /** Whether all results of the check are the same on both sides: states depend on results outside of the window. */
  readonly isWhole: boolean
}

const page = { offset: 0, limit: 100 }
const maxSingleResults = 2

/** One question of each kind about a window of a check, over all metrics of its results. */
export function sampleQuestions(sample: Sample): readonly SampleQuestion[] {
  const { isWhole } = sample
  return [...figureQuestions(sample), ...resultQuestions(sample), ...(isWhole ? stateQuestions(sample) : [])]
}

function figureQuestions({ check, window, results }: Sample): readonly SampleQuestion[] {
  const metrics = metricsOf(results)
  const whole = { filter: null, rowPage: page, groupPage: null }
  const source = { check, columns: metrics, labels: [] }
  const figures = metrics.flatMap((_, column) => aggregations.map((aggregation) => ({ column, aggregation, bound: null })))
  const aggregate = { ...whole, window, sources: [source], figures, counts: true, fill: null, histogram: null }
  return [
    {
      name: 'all figures of the window',
      ask: (contents) =>
        contents.aggregate({
          ...aggregate,
          groupBy: [],
          buckets: null,
          histogram: metrics.length > 0 ? { column: 0, bounds: null } : null,
        }),
    },
    {
      name: 'all figures by location and hour',
      ask: (contents) => contents.aggregate({ ...aggregate, groupBy: [{ by: 'location' }], buckets: { originMs: 0, widthMs: hourMs } }),
    },
    { name: 'single runs', ask: (contents) => contents.raw({ ...whole, window, check, groupBy: null, metrics }) },
  ]
}

function resultQuestions({ check, window, results }: Sample): readonly SampleQuestion[] {
  const first = { check, window, location: null, hasFailures: null, before: null, rowPage: page }
  const failing = results.filter(({ hasFailures }) => hasFailures)
  const single = [...failing, ...results].slice(0, maxSingleResults)
  return [
    { name: 'whole results', ask: (contents) => contents.results(first) },
    { name: 'failing results', ask: (contents) => contents.results({ ...first, hasFailures: true }) },
    { name: 'reasons of failures', ask: (contents) => contents.failures({ sources: [check], window, locations: null }) },
    ...single.map(({ id, startedAt }) => ({
      name: `the result ${id} with its evidence`,
      ask: async (contents: Contents) => {
        const found = await contents.result({ check, id, startedAt })
        return found && { result: found.result, evidence: found.evidence && Buffer.from(found.evidence).toString('hex') }
      },
    })),
  ]
}

function stateQuestions({ check, window, rhythm }: Sample): readonly SampleQuestion[] {
  const asked = { window, now: window.to, quorum: 'majority' as const }
  const states = {
    ...asked,
    sources: [{ check, rhythm, maintenance: [] }],
    serviceHours: null,
    minOutageMs: 0,
    rows: [window],
    intervals: true,
  }
  return [
    { name: 'states', ask: (contents) => contents.states({ ...states, byLocation: false }) },
    { name: 'states of locations', ask: (contents) => contents.states({ ...states, byLocation: true, intervals: false }) },
    { name: 'outages', ask: (contents) => contents.outages({ ...asked, sources: [{ check, rhythm }], minMs: 0, after: null, limit: 100 }) },
  ]
}

function metricsOf(results: readonly Result[]): readonly MetricRef[] {
  const namesOf = (values: readonly Readonly<Record<string, number>>[]) => [...new Set(values.flatMap((own) => Object.keys(own)))].sort()
  const perPage = namesOf(results.flatMap(({ pages }) => pages.map(({ values }) => values)))
  return [
    ...namesOf(results.map(({ values }) => values)).map((metric) => ({ metric, perPage: false })),
    ...perPage.map((metric) => ({ metric, perPage: true })),
  ]
}
