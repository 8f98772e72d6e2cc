import { weekdays } from '../../calendar/schedule.ts'
import { parseClockTime } from '../../calendar/schedule-text.ts'
import { type Static, Type } from '../../schema/typebox.ts'
import { closed } from '../config-file/entry-fields.ts'
import type { Finding, Path } from '../config-file/faults.ts'
import { structureFindings, withoutFaults } from '../config-file/structure.ts'
import { EndTime, Name, type PolicyEntry, StartTime, TimeZone, zoneFindings, zoneOf } from './fields.ts'
import type { ServiceHoursPolicy } from './policies.ts'

export const ServiceHoursEntry = Type.Object(
  {
    name: Name,
    days: Type.Array(Type.Enum(weekdays), { minItems: 1, uniqueItems: true }),
    from: StartTime,
    to: EndTime,
    timezone: Type.Optional(TimeZone),
  },
  closed,
)
type ServiceHoursEntry = Static<typeof ServiceHoursEntry>

export function serviceHoursFindings(entry: PolicyEntry, path: Path): readonly Finding[] {
  const structure = structureFindings(ServiceHoursEntry, entry, path)
  const { timezone } = withoutFaults(entry, structure, path.length) as Partial<ServiceHoursEntry>
  return [...structure, ...zoneFindings(timezone, [...path, 'timezone'])]
}

/** The policy of an entry without findings. */
export function toServiceHours({ name, days, from, to, timezone }: ServiceHoursEntry): ServiceHoursPolicy {
  return { name, days, fromMinutes: parseClockTime(from) ?? 0, toMinutes: parseClockTime(to) ?? 0, zone: zoneOf(timezone) }
}
