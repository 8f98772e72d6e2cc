import { useEffect, useState } from 'preact/hooks'
import { useResource } from '../api/use-resource.ts'
import { loadOutages, type OutageFilter, type OutagesFound } from '../outages/outage-query.ts'
import { elapsed } from '../view/elapsed.ts'
import { reasonLine } from '../view/failing-for.tsx'
import { figure, plural } from '../view/figures.ts'
import { useFirst } from '../view/long-list.tsx'
import { dayText, minuteText } from '../view/time.tsx'
import { DayCells, DayCellsWaiting, dayWords } from './day-cells.tsx'
import { type Day, daysShown } from './days.ts'

/** A row of days, for example of a tag. */
export type DayStrip = {
  readonly name: string
  /** Undefined until loaded. */
  readonly days: readonly Day[] | undefined
  /** Selects the outages of the row; null if they cannot be selected. */
  readonly outages: OutageFilter | null
  hrefOf(day: Day): string
}

type Pointed = { readonly day: Day; readonly outages: OutageFilter | null }

const pauseMs = 200
const namedOutages = 4

/** Ninety days per row, each row with its availability. Outages of the hovered or focused day are listed below. */
export function DayStrips({ strips, alone = false }: { readonly strips: readonly DayStrip[]; readonly alone?: boolean }) {
  const [pointed, setPointed] = useState<Pointed | null>(null)
  const days = strips.find((strip) => strip.days !== undefined)?.days
  const { shown, rest } = useFirst(strips)
  return (
    <div class={alone ? 'day-strips day-strips-alone' : 'day-strips'}>
      {shown.map((strip) => (
        <div key={strip.name} class="day-strip">
          {!alone && <h3>{strip.name}</h3>}
          {strip.days === undefined ? (
            <DayCellsWaiting />
          ) : (
            <DayCells
              label={`${strip.name}, ${daysShown} days`}
              days={strip.days}
              hrefOf={strip.hrefOf}
              onPoint={(day) => setPointed({ day, outages: strip.outages })}
            />
          )}
          <span class="day-figure">{strip.days && figure(daysAvailability(strip.days), 'percentage')}</span>
        </div>
      ))}
      <DayTicks days={days} />
      {rest}
      <DayReadout pointed={pointed} />
    </div>
  )
}

/** The availability over all runs of some days; null without runs. */
export function daysAvailability(days: readonly Day[]): number | null {
  const sum = (of: (day: Day) => number) => days.reduce((total, day) => total + of(day), 0)
  const total = sum((day) => day.total)
  return total === 0 ? null : (sum((day) => day.success) / total) * 100
}

const ticks = [0, 15, 30, 45, 60, 75]

/** Dates below the days. */
function DayTicks({ days }: { days: readonly Day[] | undefined }) {
  return (
    <div class="day-ticks" aria-hidden="true">
      {ticks.map((index) => (
        <span key={index} style={{ '--at': String(index) }}>
          {days?.[index] && dayText(days[index].from)}
        </span>
      ))}
      <span class="day-today">today</span>
    </div>
  )
}

function DayReadout({ pointed }: { pointed: Pointed | null }) {
  const rested = useRested(pointed)
  const asked = rested !== null && rested.day.success < rested.day.total ? rested : null
  const { data, loading } = useResource(asked?.outages ? `day ${JSON.stringify(asked)}` : null, async (api, signal) => {
    if (!asked?.outages) return null
    const { from, to } = asked.day
    return loadOutages(api, { filter: asked.outages, window: { from, to }, limit: namedOutages, signal })
  })
  const found = asked !== null && asked === pointed && !loading ? data : null
  return (
    <p class="day-readout" role="status">
      {pointed && <b>{dayWords(pointed.day)}</b>} {found && outagesText(found)}
    </p>
  )
}

/** `2 outages: 10:02 for 12 min, Shop, status 503; …`. */
export function outagesText({ outages, total }: Pick<OutagesFound, 'outages' | 'total'>): string {
  if (total === 0) return 'No outage.'
  const named = outages
    .slice(0, namedOutages)
    .map(({ from, seconds, name, reason }) =>
      [`${minuteText(Date.parse(from))} for ${elapsed(seconds * 1000)}`, name, reasonLine(reason)].filter((part) => part !== '').join(', '),
    )
  const rest = total > named.length ? `; and ${total - named.length} more` : ''
  return `${plural(total, 'outage')}: ${named.join('; ')}${rest}.`
}

/** Debounces a value, so that days passed by the pointer are not loaded. */
function useRested<T>(value: T): T | null {
  const [rested, setRested] = useState<T | null>(null)
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), pauseMs)
    return () => clearTimeout(timer)
  }, [value])
  return rested
}
