import { longestPeriodMs } from '../../calendar/cron.ts'
import { hashedToken } from '../../ids/sha256.ts'
import { defineCheckType } from '../define.ts'
import { durationMs } from '../duration.ts'
import { demo } from './demo.ts'
import { HeartbeatSettings, metrics } from './shape.ts'
import { wire } from './wire.ts'

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
  pingSettings: ({ heartbeat: { period, schedule = '', timezone = 'UTC', grace, token } }) => ({
    periodMs: period === undefined ? longestPeriodMs({ schedule, timezone }) : durationMs(period),
    graceMs: grace === undefined || grace.startsWith('0') ? 0 : durationMs(grace),
    tokenHash: hashedToken(token),
    ...(period === undefined && { cron: { schedule, timezone } }),
  }),
  wire,
  demo,
})
