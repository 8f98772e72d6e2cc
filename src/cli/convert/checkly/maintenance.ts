import { weekdays } from '../../../calendar/schedule.ts'
import { isoText, parseInstant } from '../../../time.ts'
import type { ConfigEntry, ConversionDraft } from '../draft.ts'
import { configDuration } from '../durations.ts'
import { fieldsOf, plainText, unreadLines } from '../fields.ts'
import { cleanTag, literalText } from '../written-text.ts'
import type { CheckBody } from './checks.ts'

/** Converts a maintenance window. It applies to all checks or to those with one of its tags. Older responses only have tags, or none for all. */
export function convertWindow(body: CheckBody, draft: ConversionDraft): void {
  const fields = fieldsOf(body, { repeatInterval: 1, timezone: 'UTC' })
  fields.skip('id', 'created_at', 'updated_at', 'createdAt', 'updatedAt')
  const name = fields.text('name').slice(0, 150) || 'Maintenance'
  const item = `maintenance ${name}`
  const [given, pausesAll] = [fields.list('tags').map(plainText), fields.take('pauseAllChecks')]
  const tags = pausesAll === true ? [] : given
  if (!fieldsOf(body.statusPageVisibility).flag('enabled')) fields.skip('statusPageVisibility')
  const [from, to] = [parseInstant(fields.text('startsAt')), parseInstant(fields.text('endsAt'))]
  const leftOut = (why: string) => draft.leftOut(item, why)
  if (from === undefined || to === undefined || to <= from) leftOut('Its start and end cannot be read.')
  else if (pausesAll === false && tags.length === 0) leftOut('It pauses no checks.')
  else if (tags.length > 0 && !hasTag(draft, tags.map(cleanTag))) leftOut('No converted check has any of its tags.')
  else {
    const times = timesOf(
      fields.text('repeatUnit'),
      { interval: fields.number('repeatInterval') ?? 1, until: parseInstant(fields.text('repeatEndsAt')) },
      { from, to },
    )
    if (times === null) leftOut('Its recurrence is not a number of days, weeks or months.')
    else
      draft.addMaintenance(item, { name: literalText(name), ...times, ...(tags.length > 0 && { tags: [...new Set(tags.map(cleanTag))] }) })
    if (times !== null) draft.report(...unreadLines(fields, item))
  }
}

/** Whether a converted check has any of these tags, its own or those of its group. */
function hasTag({ parts }: ConversionDraft, tags: readonly string[]): boolean {
  const wanted = new Set(tags.map(literalText))
  return [...parts.checks.values()].some(({ entry }) => Array.isArray(entry.tags) && entry.tags.some((tag) => wanted.has(tag)))
}

type Occurrence = { readonly from: number; readonly to: number }
type Repetition = { readonly interval: number; readonly until: number | undefined }

function timesOf(unit: string, { interval, until }: Repetition, { from, to }: Occurrence): ConfigEntry | null {
  const span = { from: isoText(from), to: isoText(to) }
  if (unit === '') return span
  if (interval !== 1 || until !== undefined) {
    const every = { DAY: 'day', WEEK: 'week', MONTH: 'month' }[unit]
    return every === undefined ? null : { ...span, repeat: { every, interval, ...(until !== undefined && { until: isoText(until) }) } }
  }
  const date = new Date(from)
  const clock = { at: isoText(from).slice(11, 16), for: configDuration(to - from), timezone: 'UTC' }
  if (unit === 'DAY') return { every: 'day', ...clock }
  if (unit === 'WEEK') return { every: 'week', on: [weekdays[(date.getUTCDay() + 6) % 7]], ...clock }
  return unit === 'MONTH' ? { every: 'month', on: date.getUTCDate(), ...clock } : null
}
