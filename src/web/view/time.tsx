import { readerZone } from '../state/zone.ts'
import { useNow } from './use-now.ts'

type Formats = Readonly<Record<'clock' | 'minute' | 'day' | 'dayOfYear' | 'year' | 'zone', Intl.DateTimeFormat>>

const made = new Map<string, Formats>()

/** Formats for the reader's zone. Created lazily: the first Intl formatter takes as long as the rest of the page's start. */
export function timeFormats(): Formats {
  const timeZone = readerZone()
  const formats = made.get(timeZone) ?? formatsIn(timeZone)
  made.set(timeZone, formats)
  return formats
}

function formatsIn(timeZone: string): Formats {
  const format = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(undefined, { ...options, timeZone })
  return {
    clock: format({ hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' }),
    minute: format({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }),
    day: format({ day: 'numeric', month: 'short' }),
    dayOfYear: format({ day: 'numeric', month: 'short', year: 'numeric' }),
    year: format({ year: 'numeric' }),
    zone: format({ timeZoneName: 'short' }),
  }
}

type TimeProps = {
  readonly at: number
  readonly relative?: boolean
  /** Whether to name the zone, if it is not shown elsewhere. */
  readonly zone?: boolean
}

/** An instant in the reader's time zone, with UTC on hover. */
export function Time({ at, relative = false, zone = false }: TimeProps) {
  if (relative) return <RelativeTime at={at} />
  const utc = new Date(at).toISOString()
  return (
    <time dateTime={utc} title={utc}>
      {secondText(at)}
      {zone && ` ${zoneText(at)}`}
    </time>
  )
}

/** A relative time that follows the clock. */
function RelativeTime({ at }: { at: number }) {
  const now = useNow()
  const utc = new Date(at).toISOString()
  return (
    <time dateTime={utc} title={`${secondText(at)} (${utc})`}>
      {ago(now - at)}
    </time>
  )
}

export function dayText(at: number): string {
  const { day, dayOfYear, year } = timeFormats()
  return year.format(at) === year.format(Date.now()) ? day.format(at) : dayOfYear.format(at)
}

export function minuteText(at: number): string {
  return timeFormats().minute.format(at)
}

/** `14 Mar 10:00:31`. */
function secondText(at: number): string {
  return `${dayText(at)} ${timeFormats().clock.format(at)}`
}

/** `10:00:31`, with the day unless it is today. */
export function clockText(at: number): string {
  return dayText(at) === dayText(Date.now()) ? timeFormats().clock.format(at) : secondText(at)
}

/** The name of the reader's zone at an instant, such as `CET`. */
export function zoneText(at: number): string {
  const parts = timeFormats().zone.formatToParts(at)
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? ''
}

/** The zone name shared by all these instants; null if clocks change between them, so that each has to name its own. */
export function sharedZoneText(instants: readonly number[]): string | null {
  const names = new Set(instants.map(zoneText))
  return names.size > 1 ? null : ([...names][0] ?? zoneText(Date.now()))
}

/** The head of a time column, with the zone unless each time names its own. */
export function headWithZone(head: string, instants: readonly number[]): string {
  const zone = sharedZoneText(instants)
  return zone === null ? head : `${head}, ${zone}`
}

/** `14 Mar 10:00`, if the zone is shown elsewhere. */
export function instantText(at: number): string {
  return `${dayText(at)} ${minuteText(at)}`
}

/** `14 Mar 10:00 – 12:00 CET`. A shared day or zone is written once. */
export function spanText(from: number, to: number): string {
  const zone = sharedZoneText([from, to])
  if (zone === null) return `${instantText(from)} ${zoneText(from)} – ${instantText(to)} ${zoneText(to)}`
  const sameDay = dayText(from) === dayText(to)
  return `${instantText(from)} – ${sameDay ? minuteText(to) : instantText(to)} ${zone}`
}

function ago(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000))
  if (seconds < 60) return `${seconds} s ago`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`
  if (seconds < 172_800) return `${Math.floor(seconds / 3600)} h ago`
  return `${Math.floor(seconds / 86_400)} days ago`
}
