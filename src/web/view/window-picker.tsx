import { useEffect, useState } from 'preact/hooks'
import { navigate, type Route, withQuery } from '../state/route.tsx'
import { endsOf, type Preset, presets, type TimeWindow, windowChanges, windowOf } from '../state/window.ts'
import { LabelledField } from './fields.tsx'
import { fieldInstant, fieldTime, LocalTimeField } from './local-time-field.tsx'
import { Popover } from './popover.tsx'
import { instantText, spanText, zoneText } from './time.tsx'

/** Presets next to each other, and any start and end by calendar. */
export function WindowPicker({ route }: { readonly route: Route }) {
  const window = windowOf(route)
  const pick = (next: TimeWindow) => navigate(withQuery(route, windowChanges(next)))
  return (
    <Popover label="Window" value={windowText(window)} width={372}>
      {(close) => {
        const pickAndClose = (next: TimeWindow) => {
          close()
          pick(next)
        }
        return (
          <>
            <Presets chosen={'preset' in window ? window.preset : null} onPick={pickAndClose} />
            <Calendar window={window} onPick={pickAndClose} />
          </>
        )
      }}
    </Popover>
  )
}

function windowText(window: TimeWindow): string {
  if ('preset' in window) return presets[window.preset]
  return window.to === null ? `since ${instantText(window.from)} ${zoneText(window.from)}` : spanText(window.from, window.to)
}

function Presets({ chosen, onPick }: { chosen: Preset | null; onPick(window: TimeWindow): void }) {
  return (
    <fieldset class="presets">
      <legend class="unseen">Presets</legend>
      {(Object.keys(presets) as Preset[]).map((preset) => (
        <button key={preset} type="button" aria-pressed={preset === chosen} onClick={() => onPick({ preset })}>
          {presets[preset]}
        </button>
      ))}
    </fieldset>
  )
}

function Calendar({ window, onPick }: { window: TimeWindow; onPick(window: TimeWindow): void }) {
  const ends = endsOf(window, Date.now())
  const [from, setFrom] = useState(fieldTime(ends.from))
  const [to, setTo] = useState(fieldTime(ends.to))
  const key = 'preset' in window ? window.preset : `${window.from}-${window.to}`
  useEffect(() => {
    setFrom(fieldTime(ends.from))
    setTo(fieldTime(ends.to))
  }, [key])
  const [first, last] = [fieldInstant(from), fieldInstant(to)]
  const possible = first < last
  const submit = (event: Event) => {
    event.preventDefault()
    if (possible) onPick({ from: first, to: last })
  }
  return (
    <form class="calendar" onSubmit={submit}>
      <LabelledField label="From">{(id) => <LocalTimeField id={id} value={from} onChange={setFrom} />}</LabelledField>
      <LabelledField label="To">{(id) => <LocalTimeField id={id} value={to} onChange={setTo} />}</LabelledField>
      <button type="submit" disabled={!possible} title={possible ? '' : 'From must be before to.'}>
        Show
      </button>
    </form>
  )
}
