import type { ScaleZone } from '../chart/line.ts'
import { groupsDrawing } from './drawings.ts'
import { type Panel, type PanelContext, panelQuery } from './panel.ts'

const limits: Readonly<Record<string, readonly [good: number, poor: number]>> = {
  LCP: [2500, 4000],
  FCP: [1800, 3000],
  TTFB: [800, 1800],
  CLS: [0.1, 0.25],
  TBT: [200, 600],
}

const aggregation = 'p90'

/** A small chart for each web vital that a check measures, per page if the type has pages. */
export function vitalPanels(context: PanelContext): Panel[] {
  const pages = context.checkType.groupBy.find(({ by }) => by === 'page')?.name ?? null
  return context.checkType.metrics.flatMap((metric) => {
    const zones = zonesOf(metric.name)
    if (zones === null || context.state.metric.name === metric.name) return []
    const query = panelQuery(context, [`${metric.name}_${aggregation}`], metric.perPage ? pages : null)
    return [
      {
        id: `vital-${metric.name}`,
        title: metric.label,
        note: `${metric.name}, ${aggregation}${metric.perPage ? ' of each page' : ''}`,
        query,
        height: 150,
        small: true,
        draw: (report) => ({ ...groupsDrawing({ report, query, unit: metric.unit }, 'line', metric.name), zones }),
      },
    ]
  })
}

export function zonesOf(metric: string): readonly ScaleZone[] | null {
  const limit = limits[metric]
  if (limit === undefined) return null
  return [
    { label: 'good', upTo: limit[0], colour: 'zone-good' },
    { label: 'needs improvement', upTo: limit[1], colour: 'zone-middling' },
    { label: 'poor', upTo: Number.POSITIVE_INFINITY, colour: 'zone-poor' },
  ]
}
