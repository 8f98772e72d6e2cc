import type { Report } from '../api/answers.ts'
import type { Ask } from '../api/client.ts'
import { asAnswered, type Question, questionPath } from '../api/question.ts'
import { type Rows, reportRows } from './rows.ts'

/** What is seen, ready to be had elsewhere. */
export type Exported = {
  /** The name of a file that holds it. */
  readonly name: string
  /** The calls that answer just what is seen. */
  readonly asSeen: readonly Ask[]
  /** The same calls for a window that goes with the clock; null where the window stands still. */
  readonly rolling: readonly Ask[] | null
  readonly rows: Rows
  /** Where an answer holds its rows, as JSONata. */
  readonly root: string
}

export function reportExport(question: Question, report: Report): Exported {
  const pages = question.calls === 1 ? 1 : `[1-${question.calls}]`
  const standsStill = !('preset' in question.window)
  return {
    name: `${report.name} ${question.metrics.join(' ')}`,
    asSeen: [{ path: questionPath(asAnswered(question, report), pages) }],
    rolling: standsStill ? null : [{ path: questionPath(question, pages) }],
    rows: reportRows(report),
    root: 'series.data',
  }
}
