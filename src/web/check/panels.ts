import type { Metric } from '../api/answers.ts'
import { inSentence, wordsOf } from '../view/words.ts'
import { band, percentiles } from './check-options.ts'
import { availabilityDrawing, bandDrawing, countsDrawing, groupsDrawing, stackDrawing, timeDrawing } from './drawings.ts'
import { type Panel, type PanelContext, panelQuery } from './panel.ts'
import { vitalPanels, zonesOf } from './vitals.ts'

export function panelsOf(context: PanelContext): Panel[] {
  const { checkType, state } = context
  const main = { ...metricPanel(context, state.metric, state.aggregation), id: 'main' }
  const shares = checkType.metrics.filter(({ unit, name }) => unit === 'percentage' && name !== state.metric.name)
  const under = state.metric.unit === 'milliseconds' ? shares.map((metric) => metricPanel(context, metric, 'avg')) : []
  const availability = state.metric.name === 'availability' ? [] : [availabilityPanel(context)]
  return [main, ...under, ...availability, ...phasesPanels(context), ...vitalPanels(context)]
}

function metricPanel(context: PanelContext, metric: Metric, aggregation: string | null): Panel {
  if (metric.name === 'availability') return { ...availabilityPanel(context), height: 240 }
  const { groupBy } = context.state
  const bands = aggregation === band
  const metrics = bands
    ? percentiles.map((name) => `${metric.name}_${name}`)
    : [aggregation === null ? metric.name : `${metric.name}_${aggregation}`]
  const query = panelQuery(context, metrics)
  const under = metric.unit === 'percentage'
  return {
    id: metric.name,
    title: metric.label,
    note: bands ? 'p50 to p99' : (aggregation ?? ''),
    query,
    height: under ? 110 : 260,
    ...(groupBy === null && { before: lineBefore(metric, aggregation) }),
    draw: (report) => {
      const cut = { report, query, unit: metric.unit }
      const shape = metric.unit === 'count' || under ? 'bars' : 'line'
      const drawing = bands && groupBy === null ? bandDrawing(cut) : groupsDrawing(cut, shape, aggregation ?? metric.label)
      const zones = zonesOf(metric.name)
      return zones === null ? drawing : { ...drawing, zones }
    },
  }
}

/** The line to compare; for the band of percentiles, only p95. */
function lineBefore({ name, label }: Metric, aggregation: string | null): NonNullable<Panel['before']> {
  if (aggregation === null) return { metric: name, label }
  const one = aggregation === band ? 'p95' : aggregation
  return { metric: `${name}_${one}`, label: one }
}

/** The availability. If runs are grouped or filtered by outcome, availability is meaningless and counts are shown instead. */
function availabilityPanel(context: PanelContext): Panel {
  const query = panelQuery(context, ['availability'])
  const { status, groupBy } = context.state
  const dimension = context.checkType.groupBy.find(({ name }) => name === groupBy)
  const byOutcome = dimension?.by === 'field'
  const byTime = query.by === 'time'
  const drawn = byOutcome ? countsDrawing : byTime && groupBy === null ? timeDrawing : availabilityDrawing
  return {
    id: 'availability',
    title: byOutcome || status !== null ? 'Runs' : 'Availability',
    note: byOutcome ? `by ${inSentence(wordsOf(dimension.name))}, stacked` : availabilityNote(groupBy, byTime),
    query,
    height: 130,
    ...(!byOutcome && status === null && { counts: true as const }),
    draw: (report) => drawn({ report, query, unit: 'percentage' }),
  }
}

function availabilityNote(groupBy: string | null, byTime: boolean): string {
  if (groupBy !== null) return `of each group, by ${byTime ? 'time' : 'runs'}`
  return byTime ? 'time up and down' : 'runs that passed and failed'
}

function phasesPanels(context: PanelContext): Panel[] {
  const { phases, metrics } = context.checkType
  if (phases.length === 0) return []
  const query = panelQuery(
    context,
    phases.map((name) => `${name}_avg`),
    null,
  )
  const labels = phases.map((name) => metrics.find((metric) => metric.name === name)?.label ?? name)
  return [
    {
      id: 'phases',
      title: 'Phases',
      note: 'mean of each, stacked',
      query,
      height: 200,
      draw: (report) => stackDrawing({ report, query, unit: 'milliseconds' }, labels),
    },
  ]
}
