import { defaultRetentionDays } from '../../catalogue/definitions.ts'
import { dateText, dayOf } from '../../time.ts'
import type { ReportLine } from './report.ts'

/** A hundred years: there is no retention without an end. */
const longestDays = 36_500

type KeptResults = {
  /** How long the other tool keeps results. */
  readonly keptDays: number
  /** The start of the oldest one that came over. */
  readonly oldest: number | null
  readonly now: number
}

/** The retention of the config file, with a line of the report; null where the default drops nothing earlier than the other tool would. */
export function longerRetention({
  keptDays,
  oldest,
  now,
}: KeptResults): { readonly retentionDays: number; readonly line: ReportLine } | null {
  const agedDays = oldest === null ? 0 : dayOf(now) - dayOf(oldest)
  const asKept = Math.min(longestDays, Math.ceil(keptDays))
  const enough = Math.max(defaultRetentionDays, asKept)
  // What is older than that stays as long after the import as new results do.
  const retentionDays = agedDays > enough ? agedDays + enough : enough
  if (retentionDays === defaultRetentionDays) return null
  const since = oldest === null ? '' : ` The oldest that came over is of ${dateText(dayOf(oldest))}.`
  const as = keptDays > longestDays ? 'for ever' : `for ${asKept} days`
  const other = asKept > defaultRetentionDays ? ` The other tool keeps them ${as}.` : ''
  const why = `The config file says retention: ${retentionDays}d, since results are deleted after ${defaultRetentionDays} days by default.${other}${since}`
  return { retentionDays, line: { item: 'results', field: 'retention', outcome: 'changed', why } }
}
