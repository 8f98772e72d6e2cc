import { weekdays } from '../../../calendar/schedule.ts'
import type { ConversionDraft } from '../draft.ts'
import { configDuration, parseDuration } from '../durations.ts'
import { fieldsOf, plainText, unreadLines } from '../fields.ts'
import type { GatusTexts } from './variables.ts'

type MaintenanceContext = { readonly draft: ConversionDraft; readonly texts: GatusTexts }

/** A daily or weekly window, for the given checks or for all. */
export function addGatusMaintenance(item: string, value: unknown, { draft, texts }: MaintenanceContext, checks?: readonly string[]): void {
  if (value === undefined || value === null) return
  const fields = fieldsOf(value, { enabled: true })
  const text = (name: string) => texts.resolve(fields.text(name))
  const [start, duration, timezone] = [text('start'), parseDuration(text('duration')), text('timezone') || 'UTC']
  const days = fields.list('every').map((day) => plainText(day).slice(0, 3).toLowerCase())
  if (fields.take('enabled') === false) {
    draft.leftOut(item, 'It is disabled.')
    return
  }
  if (duration === null || duration <= 0 || start === '') {
    draft.leftOut(item, 'Its start or duration is missing or invalid.')
    return
  }
  const on = weekdays.filter((day) => days.includes(day))
  const times = { at: clock(start), for: configDuration(duration), timezone }
  const every = on.length > 0 ? { every: 'week', on } : { every: 'day' }
  draft.addMaintenance(item, { name: item.slice(0, 150), ...every, ...times, ...(checks && { checks }) })
  draft.report(...unreadLines(fields, item))
}

/** YAML 1.1 parses 23:00 as a base-60 number. */
function clock(text: string): string {
  if (!/^[0-9]{1,5}$/.test(text)) return text.padStart(5, '0')
  const minutes = Number(text)
  return `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`
}
