import { plural } from '../view/figures.ts'
import type { CheckViewState } from './check-options.ts'

/** Explains why a chart is empty, with advice. */
export type EmptyText = { readonly title: string; readonly advice: string }

type Runs = { readonly total: number; readonly success: number }

/** Explains by the number of runs in the window; `runs` is undefined until loaded. */
export function emptyText(runs: Runs | undefined, { status }: Pick<CheckViewState, 'status'>): EmptyText {
  if (runs === undefined) return { title: 'No measurements in this window.', advice: '' }
  if (runs.total === 0) {
    const advice = status === null ? 'Choose a longer window.' : 'Choose a longer window, or another status.'
    return { title: 'No runs in this window.', advice }
  }
  if (runs.success > 0) return { title: `None of ${plural(runs.total, 'run')} measured this.`, advice: '' }
  return { title: `${plural(runs.total, 'run')}, none got a response.`, advice: 'See the failures below.' }
}

/** Explains an empty page of runs. The page after the last full one is empty, too. */
export function emptyRuns(page: number): EmptyText {
  if (page > 1) return { title: 'No older runs in this window.', advice: '' }
  return { title: 'No runs in this window.', advice: 'Choose a longer window, or fewer filters.' }
}
