import type { Window } from '../../../calendar/window.ts'
import { isoText, parseInstant } from '../../../time.ts'
import type { ConfigEntry, ConversionDraft } from '../draft.ts'
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
      {
        interval: fields.number('repeatInterval') ?? 1,
        until: parseInstant(fields.text('repeatEndsAt')),
        timezone: fields.text('timezone'),
      },
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

type Recurrence = { readonly interval: number; readonly until: number | undefined; readonly timezone: string }

function timesOf(unit: string, { interval, until, timezone }: Recurrence, { from, to }: Window): ConfigEntry | null {
  const first = { from: isoText(from), to: isoText(to) }
  if (unit === '') return first
  const every = { DAY: 'day', WEEK: 'week', MONTH: 'month' }[unit]
  if (every === undefined) return null
  const zone = timezone === '' || timezone === 'UTC' ? {} : { timezone }
  return {
    ...first,
    ...zone,
    repeat: { every, ...(interval !== 1 && { interval }), ...(until !== undefined && { until: isoText(until) }) },
  }
}
