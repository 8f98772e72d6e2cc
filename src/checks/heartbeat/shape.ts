import { cronFault } from '../../calendar/cron.ts'
import { findZone } from '../../calendar/zone.ts'
import { titled } from '../../schema/titled.ts'
import { type Static, Type } from '../../schema/typebox.ts'
import { Duration } from '../duration.ts'
import { milliseconds, unlisted } from '../metric.ts'
import { strict } from '../probe/settings.ts'

export const metrics = { duration: unlisted(milliseconds('Run time')) }

/** Also zero, because API clients send it with a unit, and compare both. */
const Grace = Type.String({ pattern: '^(0|[1-9][0-9]{0,8})(ms|s|m|h|d)$', description: 'a duration such as 10s, 5m, 1h or 30d' })

const Heartbeat = Type.Object(
  {
    period: Type.Optional(titled('Maximum time between two pings', Duration)),
    schedule: Type.Optional(Type.String({ maxLength: 200, description: 'the five fields of a crontab, such as 0 3 * * *' })),
    timezone: Type.Optional(Type.String({ description: 'the name of a time zone such as Europe/Berlin' })),
    grace: Type.Optional(titled('Grace time for late pings', Grace)),
    token: Type.String({
      minLength: 16,
      maxLength: 128,
      description: 'the ping token, of 16 to 128 characters, or sha256: and the 64 hex digits of its hash',
    }),
  },
  strict,
)

/** Checks the settings against each other; returns the fault as a sentence. */
function heartbeatFault({ period, schedule, timezone }: Static<typeof Heartbeat>): string | null {
  if ((period === undefined) === (schedule === undefined)) return 'either period or schedule is required'
  if (schedule === undefined) return timezone === undefined ? null : 'timezone requires a schedule'
  if (timezone !== undefined && !findZone(timezone)) return `unknown time zone ${timezone}`
  const fault = cronFault(schedule)
  return fault && `schedule ${fault}`
}

export const HeartbeatSettings = Type.Object({
  heartbeat: Type.Refine(
    Heartbeat,
    (value) => heartbeatFault(value) === null,
    (value) => heartbeatFault(value) ?? '',
  ),
})
