import type { Metric } from '../api/answers.ts'
import { band, percentiles } from './check-state.ts'
import { availabilityDrawing, bandDrawing, groupsDrawing, stackDrawing } from './drawings.ts'
import { ask, type Look, type Panel } from './panel.ts'
import { vitalPanels, zonesOf } from './vitals.ts'

export function panelsOf(look: Look): Panel[] {
  const { checkType, state } = look
  const main = { ...metricPanel(look, state.metric, state.aggregation), id: 'main' }
  const shares = checkType.metrics.filter(({ unit, name }) => unit === 'percentage' && name !== state.metric.name)
  const under = state.metric.unit === 'milliseconds' ? shares.map((metric) => metricPanel(look, metric, 'avg')) : []
  const availability = state.metric.name === 'availability' ? [] : [availabilityPanel(look)]
  return [main, ...under, ...availability, ...phasesPanels(look), ...vitalPanels(look)]
}

function metricPanel(look: Look, metric: Metric, aggregation: string | null): Panel {
  if (metric.name === 'availability') return { ...availabilityPanel(look), height: 240 }
  const { groupBy } = look.state
  const bands = aggregation === band
  const metrics = bands
    ? percentiles.map((name) => `${metric.name}_${name}`)
    : [aggregation === null ? metric.name : `${metric.name}_${aggregation}`]
  const question = ask(look, metrics)
  const under = metric.unit === 'percentage'
  return {
    id: metric.name,
    title: metric.label,
    note: bands ? 'p50 to p99' : (aggregation ?? ''),
    question,
    height: under ? 110 : 260,
    draw: (report) => {
      const cut = { report, question, unit: metric.unit }
      const shape = metric.unit === 'count' || under ? 'bars' : 'line'
      const drawing = bands && groupBy === null ? bandDrawing(cut) : groupsDrawing(cut, shape, aggregation ?? metric.label)
      const zones = zonesOf(metric.name)
      return zones === null ? drawing : { ...drawing, zones }
    },
  }
}

function availabilityPanel(look: Look): Panel {
  const question = ask(look, ['availability'])
  return {
    id: 'availability',
    title: 'Availability',
    note: 'share of runs that did not fail',
    question,
    height: 130,
    draw: (report) => availabilityDrawing({ report, question, unit: 'percentage' }),
  }
}

function phasesPanels(look: Look): Panel[] {
  const { phases, metrics } = look.checkType
  if (phases.length === 0) return []
  const question = ask(
    look,
    phases.map((name) => `${name}_avg`),
    null,
  )
  const labels = phases.map((name) => metrics.find((metric) => metric.name === name)?.label ?? name)
  return [
    {
      id: 'phases',
      title: 'Phases',
      note: 'mean of each, stacked',
      question,
      height: 200,
      draw: (report) => stackDrawing({ report, question, unit: 'milliseconds' }, labels),
    },
  ]
}
