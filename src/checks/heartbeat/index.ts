import { Type } from 'typebox'
import { sha256 } from '../../sha256.ts'
import { defineCheckType } from '../define.ts'
import { Duration, durationMs } from '../duration.ts'
import { strict } from '../probe/settings.ts'
import { demo } from './demo.ts'

export const metrics = {}

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

export const heartbeat = defineCheckType({
  type: 'HEARTBEAT',
  path: 'heartbeat-checks',
  label: 'Heartbeat monitor',
  metrics,
  duration: null,
  groupBy: [],
  states: { FAILING: 'failure', RECEIVED: 'success', EARLY: 'success', GRACE: 'success', LATE: 'success' },
  settings: HeartbeatSettings,
  target: () => ({}),
  pinged: ({ heartbeat: { period, grace, token } }) => ({
    periodMs: durationMs(period),
    graceMs: grace === undefined ? 0 : durationMs(grace),
    tokenHash: token.startsWith('sha256:') ? token : sha256(token),
  }),
  demo,
})
