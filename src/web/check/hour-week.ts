import type { Series } from '../api/answers.ts'
import { numberOrNull } from '../chart/table.ts'

export type HourCell = { readonly total: number; readonly availability: number | null; readonly slow: number | null }

/** Indexed by weekday (Monday first) and hour of the day; undefined without runs. */
export type HourWeek = readonly (readonly (HourCell | undefined)[])[]

export const weekdayNames = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const
const hoursPerDay = 24

export function hourWeekOf(series: readonly Series[], slowMetric: string): HourWeek {
  const cells = new Map(series.map(({ data, dayOfWeek, hourOfDay }) => [`${dayOfWeek} ${hourOfDay}`, data[0]]))
  return weekdayNames.map((_, day) =>
    Array.from({ length: hoursPerDay }, (_, hour) => {
      const row = cells.get(`${day + 1} ${hour}`)
      if (row === undefined) return undefined
      return { total: Number(row.total), availability: numberOrNull(row.availability), slow: numberOrNull(row[slowMetric]) }
    }),
  )
}

export const heatSteps = 5

/** The heat of a value between the lowest and the highest one: 1 to 5, or 0 if unknown. */
export function heatStep(value: number | null | undefined, all: readonly number[]): number {
  if (value === null || value === undefined) return 0
  const [lowest, highest] = [Math.min(...all), Math.max(...all)]
  if (highest <= lowest) return 1
  return Math.min(heatSteps, 1 + Math.floor(((value - lowest) / (highest - lowest)) * heatSteps))
}

/** Upper ends of the steps, as failed runs in percent. Even a single failure gets a different colour than none. */
const failedEnds = [0, 1, 5, 20]

export function failedStep(availability: number | null | undefined): number {
  if (availability === null || availability === undefined) return 0
  const step = failedEnds.findIndex((end) => 100 - availability <= end)
  return step < 0 ? heatSteps : step + 1
}
