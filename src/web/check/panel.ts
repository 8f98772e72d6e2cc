import type { Check, CheckType, Report } from '../api/answers.ts'
import type { Question } from '../api/question.ts'
import type { Drawing } from '../chart/line.ts'
import type { CheckState } from './check-state.ts'

/** One chart of a check: what it asks, and how the answer is drawn. */
export type Panel = {
  readonly id: string
  readonly title: string
  readonly note: string
  readonly question: Question
  readonly height?: number
  readonly small?: boolean
  draw(report: Report): Drawing
}

export type Look = { readonly check: Check; readonly checkType: CheckType; readonly state: CheckState }

export function ask({ check, checkType, state }: Look, metrics: readonly string[], groupBy = state.groupBy): Question {
  return {
    endpoint: checkType.endpoint,
    checkId: check.id,
    metrics,
    window: state.window,
    interval: state.bucket,
    groupBy,
    status: state.status,
    calls: state.calls,
  }
}
