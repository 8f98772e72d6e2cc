import { defaultRetentionDays } from '../../catalogue/definitions.ts'
import { dateText, dayOf } from '../../time.ts'
import type { ReportLine } from './report.ts'

/** A hundred years instead of unlimited retention, which Tidemark does not have. */
const longestDays = 36_500

type KeptResults = {
  /** How long the other tool keeps results. */
  readonly keptDays: number
  /** The start of the oldest converted result. */
  readonly oldest: number | null
  readonly now: number
}

type Retention = {
  /** Null means the default. */
  readonly retentionDays: number | null
  readonly line: ReportLine
}

/** A retention that never deletes results earlier than the other tool would. Null if nothing has to be said. */
export function retentionAs({ keptDays, oldest, now }: KeptResults): Retention | null {
  const agedDays = oldest === null ? 0 : dayOf(now) - dayOf(oldest)
  const asKept = Math.min(longestDays, Math.ceil(keptDays))
  const enough = Math.max(defaultRetentionDays, asKept)
  // Results older than `enough` stay after the import for as long as new results.
  const retentionDays = agedDays > enough ? agedDays + enough : enough
  const line = (why: string): ReportLine => ({ item: 'results', field: 'retention', outcome: 'changed', why })
  const isShorter = asKept > 0 && asKept < defaultRetentionDays
  if (retentionDays === defaultRetentionDays) return isShorter ? { retentionDays: null, line: line(shorterText(asKept)) } : null
  const since = oldest === null ? '' : ` The oldest converted result is from ${dateText(dayOf(oldest))}.`
  const as = keptDays > longestDays ? 'forever' : `for ${asKept} days`
  const other = asKept > 0 ? ` The other tool keeps them ${as}.` : ''
  const why = `The config file sets retention: ${retentionDays}d, because results are deleted after ${defaultRetentionDays} days by default.${other}${since}`
  return { retentionDays, line: line(why) }
}

const shorterText = (days: number) =>
  `The other tool keeps them for ${days} days; here they are kept for ${defaultRetentionDays}, unless the config file sets retention: ${days}d.`
