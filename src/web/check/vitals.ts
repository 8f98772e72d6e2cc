import type { Zone } from '../chart/line.ts'
import { groupsDrawing } from './drawings.ts'
import { ask, type Look, type Panel } from './panel.ts'

/** Where a page stops being good, and where it becomes poor, by the metric's name. */
const limits: Readonly<Record<string, readonly [good: number, poor: number]>> = {
  LCP: [2500, 4000],
  FCP: [1800, 3000],
  TTFB: [800, 1800],
  CLS: [0.1, 0.25],
  TBT: [200, 600],
}

const aggregation = 'p90'

/** A small chart for each web vital that a check measures, page by page where it tells pages apart. */
export function vitalPanels(look: Look): Panel[] {
  const pages = look.checkType.groupBy.find(({ by }) => by === 'page')?.name ?? null
  return look.checkType.metrics.flatMap((metric) => {
    const zones = zonesOf(metric.name)
    if (zones === null || look.state.metric.name === metric.name) return []
    const question = ask(look, [`${metric.name}_${aggregation}`], metric.perPage ? pages : null)
    return [
      {
        id: `vital-${metric.name}`,
        title: metric.label,
        note: `${metric.name}, ${aggregation}${metric.perPage ? ' of each page' : ''}`,
        question,
        height: 150,
        small: true,
        draw: (report) => ({ ...groupsDrawing({ report, question, unit: metric.unit }, 'line', metric.name), zones }),
      },
    ]
  })
}

export function zonesOf(metric: string): readonly Zone[] | null {
  const limit = limits[metric]
  if (limit === undefined) return null
  return [
    { label: 'good', upTo: limit[0], colour: 'zone-good' },
    { label: 'needs improvement', upTo: limit[1], colour: 'zone-middling' },
    { label: 'poor', upTo: Number.POSITIVE_INFINITY, colour: 'zone-poor' },
  ]
}
