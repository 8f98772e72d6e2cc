import { naiveLocal, naiveStartAfter, naiveStartOf } from './naive-calendar.ts'

/** Something that counts at an instant: a run, or a span of time that begins then. */
export type Piece = { readonly at: number; readonly counted: number; readonly good: number }

export type NaiveSlo = {
  readonly pieces: readonly Piece[]
  readonly from: number
  /** The end of the window, or now if that is earlier. */
  readonly end: number
  readonly target: number
  /** How much of a piece equals one unit of the budget. */
  readonly unit: number
  readonly zone: string
}

const hourMs = 3_600_000
const sum = (numbers: readonly number[]) => numbers.reduce((total, n) => total + n, 0)

/** The figures of an SLO, straight from their definitions. */
export function naiveSlo({ pieces, from, end, target, unit, zone }: NaiveSlo) {
  const tally = (start: number, last: number) => {
    const within = pieces.filter(({ at }) => at >= start && at <= last)
    return { counted: sum(within.map(({ counted }) => counted)), good: sum(within.map(({ good }) => good)) }
  }
  const share = 1 - target / 100
  const attained = (start: number, last: number) => {
    const { counted, good } = tally(start, last)
    return counted === 0 ? null : (good / counted) * 100
  }
  const burn = (hours: number) => {
    const { counted, good } = tally(end - hours * hourMs, end)
    return counted === 0 ? null : (counted - good) / counted / share
  }
  const bad = (last: number) => tally(from, last).counted - tally(from, last).good
  const total = (tally(from, end).counted / unit) * share
  return {
    attained: attained(from, end),
    budget: { total, used: bad(end) / unit, left: total - bad(end) / unit },
    burnRate: { '1h': burn(1), '6h': burn(6), '24h': burn(24), '3d': burn(72) },
    days: dayStartsOf({ from, end, zone }).map((start) => {
      const last = Math.min(nextDay(start, zone) - 1, end)
      const day = new Date(naiveLocal(start, zone)).toISOString().slice(0, 10)
      return { day, attained: attained(Math.max(start, from), last), budgetLeft: total - bad(last) / unit }
    }),
  }
}

/** The first instants of the local days in a window. */
export function dayStartsOf({ from, end, zone }: Pick<NaiveSlo, 'from' | 'end' | 'zone'>): readonly number[] {
  const starts: number[] = []
  for (let start = naiveStartOf('day', from, zone); start <= end; start = nextDay(start, zone)) starts.push(start)
  return starts
}

const nextDays = new Map<string, number>()

function nextDay(start: number, zone: string): number {
  const key = `${start} ${zone}`
  const next = nextDays.get(key) ?? naiveStartAfter('day', start, zone)
  nextDays.set(key, next)
  return next
}
