type Formats = Readonly<Record<'clock' | 'minute' | 'day' | 'dayOfYear' | 'zone', Intl.DateTimeFormat>>

let made: Formats | undefined

/** Created lazily: the first Intl formatter takes a browser as long as the rest of the page's start. */
export function timeFormats(): Formats {
  made ??= {
    clock: new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' }),
    minute: new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }),
    day: new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' }),
    dayOfYear: new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric' }),
    zone: new Intl.DateTimeFormat(undefined, { timeZoneName: 'short' }),
  }
  return made
}

type TimeProps = {
  readonly at: number
  readonly relative?: boolean
  /** Names the zone, for where it does not stand elsewhere. */
  readonly zone?: boolean
}

/** An instant in the user's time zone, with UTC on hover. */
export function Time({ at, relative = false, zone = false }: TimeProps) {
  const utc = new Date(at).toISOString()
  const local = `${dayText(at)} ${timeFormats().clock.format(at)}${zone ? ` ${zoneText(at)}` : ''}`
  return (
    <time dateTime={utc} title={relative ? `${local} (${utc})` : utc}>
      {relative ? ago(Date.now() - at) : local}
    </time>
  )
}

export function dayText(at: number): string {
  const { day, dayOfYear } = timeFormats()
  return new Date(at).getFullYear() === new Date().getFullYear() ? day.format(at) : dayOfYear.format(at)
}

export function minuteText(at: number): string {
  return timeFormats().minute.format(at)
}

/** The name of the user's zone as it is at that instant, such as `CET`. */
export function zoneText(at: number): string {
  const parts = timeFormats().zone.formatToParts(at)
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? ''
}

/** `14 Mar 10:00`, for where the zone stands elsewhere. */
export function instantText(at: number): string {
  return `${dayText(at)} ${minuteText(at)}`
}

/** `14 Mar 10:00 – 12:00 CET`: a shared day is written once. */
export function spanText(from: number, to: number): string {
  const sameDay = dayText(from) === dayText(to)
  return `${instantText(from)} – ${sameDay ? minuteText(to) : instantText(to)} ${zoneText(to)}`
}

function ago(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000))
  if (seconds < 60) return `${seconds} s ago`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`
  if (seconds < 172_800) return `${Math.floor(seconds / 3600)} h ago`
  return `${Math.floor(seconds / 86_400)} days ago`
}
