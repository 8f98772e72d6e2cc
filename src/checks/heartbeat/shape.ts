import { Type } from '../../schema/typebox.ts'
import { Duration } from '../duration.ts'
import { milliseconds } from '../metric.ts'
import { strict } from '../probe/settings.ts'

export const metrics = { duration: milliseconds('Run time') }

export const HeartbeatSettings = Type.Object({
  heartbeat: Type.Object(
    {
      period: Duration,
      grace: Type.Optional(Duration),
      token: Type.String({
        minLength: 16,
        maxLength: 128,
        description: 'the ping token, of 16 to 128 characters, or sha256: and the 64 hex digits of its hash',
      }),
    },
    strict,
  ),
})
