import { once } from '../../../cache/cache.ts'
import { dayOf } from '../../../time.ts'
import { firstNotBefore } from '../../kernels/row-indexes.ts'
import type { Texts } from '../../kernels/texts.ts'
import type { CheckRef, Window } from '../../store.ts'
import { describeFailures, type Outage, type OutageFailures, resultWindow } from '../../timeline/outages.ts'
import type { DayReader } from '../parts/day.ts'
import { idAt, type Part, textAt } from '../parts/part.ts'

/** The failures in each outage of a check. A day is decoded once, even if it has several outages. */
export function outageFailures(reader: DayReader, check: CheckRef, outages: readonly Outage[], now: number): readonly OutageFailures[] {
  const windows = outages.map((outage) => resultWindow(outage, now))
  const hull = windows.reduce((all, { from, to }) => ({ from: Math.min(all.from, from), to: Math.max(all.to, to) }))
  const decoded = reader.days(check, hull, 'day by day').map(({ day, part }) => ({ day, results: once(() => decode(part())) }))
  return windows.map((window) => {
    const own = decoded.filter(({ day }) => day >= dayOf(window.from) && day <= dayOf(window.to))
    return failuresIn(
      own.map(({ results }) => results()),
      window,
      check,
    )
  })
}

type DayResults = { readonly part: Part; readonly times: Float64Array; readonly flags: Int32Array; readonly errors: () => Texts }

function decode(part: Part): DayResults {
  return { part, times: part.numbers('time'), flags: part.ints('flags'), errors: once(() => part.texts('error')) }
}

/** A row number combines the index of its day and the row within the day. */
function failuresIn(days: readonly DayResults[], window: Window, check: CheckRef): OutageFailures {
  const stride = Math.max(1, ...days.map(({ times }) => times.length))
  const at = (row: number) => ({ day: days[Math.floor(row / stride)] as DayResults, row: row % stride })
  return describeFailures({
    rows: failingRows(days, window, stride),
    errorOf(number) {
      const { day, row } = at(number)
      return textAt(day.errors(), row)
    },
    idOf(number) {
      const { day, row } = at(number)
      return idAt(day.part, row, check)
    },
  })
}

function* failingRows(days: readonly DayResults[], { from, to }: Window, stride: number): Generator<number> {
  for (const [i, { times, flags }] of days.entries()) {
    const end = firstNotBefore(times, to + 1)
    for (let row = firstNotBefore(times, from); row < end; row++) if ((flags[row] as number) & 1) yield i * stride + row
  }
}
