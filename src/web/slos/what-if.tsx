import { useEffect, useState } from 'preact/hooks'
import type { Slo } from '../api/answers.ts'
import { navigate, type Route, RouteLink, withQuery } from '../state/route.tsx'
import { Choice, LabelledField } from '../view/fields.tsx'
import { positionOf, readTarget, sliderEnds, targetAt } from './target.ts'

/** Debounce delay while the slider is dragged. */
const settleMs = 120

const units = [
  { value: 'runs', label: 'by runs' },
  { value: 'time', label: 'by time' },
]

/** Tries another target or another unit. Each change is a new URL to share. */
export function WhatIf({ slo, route }: { readonly slo: Slo; readonly route: Route }) {
  // The response for a new target updates `slo`, but must not overwrite the user's input.
  const settled = readTarget(route.query.get('target') ?? '') ?? String(slo.objective.target)
  const [draft, setDraft] = useState(settled)
  useEffect(() => setDraft(settled), [settled])
  useEffect(() => {
    const target = readTarget(draft)
    if (target === null || target === settled) return
    const timer = setTimeout(() => navigate(withQuery(route, { target }), 'replace'), settleMs)
    return () => clearTimeout(timer)
  }, [draft])
  const target = Number(readTarget(draft) ?? slo.objective.target)
  return (
    <section class="panel what-if" aria-label="What if">
      <LabelledField label="What if the target were">
        {(id) => (
          <input
            id={id}
            type="range"
            {...sliderEnds}
            value={positionOf(target)}
            aria-valuetext={`${target} %`}
            onInput={(event) => setDraft(String(targetAt(Number(event.currentTarget.value))))}
          />
        )}
      </LabelledField>
      <LabelledField label="Target in percent">
        {(id) => (
          <input id={id} class="target" inputMode="decimal" value={draft} onInput={(event) => setDraft(event.currentTarget.value)} />
        )}
      </LabelledField>
      {slo.objective.kind === 'availability' && (
        <Choice
          label="What counts"
          value={slo.objective.by}
          options={units}
          onChange={(by) => navigate(withQuery(route, { by }), 'replace')}
        />
      )}
      {[...route.query.keys()].length > 0 && (
        <RouteLink class="quiet-button" href={route.path}>
          As configured
        </RouteLink>
      )}
    </section>
  )
}
