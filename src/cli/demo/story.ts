const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** What is true of all runs at an instant and place. */
export type Conditions = {
  /** How slow things are; 1 is usual. */
  readonly level: number
  readonly failing: number
  readonly retried: number
}

type Scene = { readonly time: number; readonly place: number; readonly tags: readonly string[] }

/** What happened in the thirty days before `end`: a rhythm of day and night, a slow week, and two incidents. */
export function conditionsAt(end: number, { time, place, tags }: Scene): Conditions {
  const ago = end - time
  const hour = (time % dayMs) / hourMs
  const daily = 1 + 0.22 * Math.sin(((hour - 8) / 24) * 2 * Math.PI)
  const distance = 1 + 0.4 * place
  const slow = ago > 9 * dayMs && ago < 16 * dayMs ? 1.55 : 1
  const usual = { level: daily * distance * slow, failing: 0.0007, retried: 0.006 }
  if (isOutage(ago, tags)) return { level: usual.level * 2.5, failing: 0.92, retried: 0.5 }
  if (isBrokenRoute(ago, place)) return { level: usual.level * 3, failing: 0.45, retried: 0.4 }
  return usual
}

/** The shop was down everywhere for three quarters of an hour. */
function isOutage(ago: number, tags: readonly string[]): boolean {
  return tags.includes('shop') && ago > 20 * dayMs && ago < 20 * dayMs + 45 * minuteMs
}

/** Everything was hard to reach from one place for two hours. */
function isBrokenRoute(ago: number, place: number): boolean {
  return place === 1 && ago > 5 * dayMs && ago < 5 * dayMs + 2 * hourMs
}
