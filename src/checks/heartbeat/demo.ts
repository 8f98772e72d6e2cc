import type { Static } from '../../schema/typebox.ts'
import type { Demo, Draw } from '../demo.ts'
import type { HeartbeatSettings, metrics } from './shape.ts'

export const demo: Demo<Static<typeof HeartbeatSettings>, typeof metrics> = {
  name: 'Invoice worker',
  tags: ['shop', 'backend'],
  settings: ({ pingToken }) => ({ heartbeat: { period: '10m', grace: '2m', token: pingToken } }),
  files: {},
  run: (draw) => ({
    metrics: { duration: draw.failing ? null : draw.around(42_000) },
    state: stateOf(draw),
    failure: draw.failing ? 'no ping by the deadline' : null,
    broken: draw.failing,
  }),
}

function stateOf(draw: Draw): string {
  if (draw.failing) return 'FAILING'
  if (draw.chance(0.02)) return 'EARLY'
  if (draw.chance(0.03)) return 'GRACE'
  return draw.chance(0.004) ? 'LATE' : 'RECEIVED'
}
