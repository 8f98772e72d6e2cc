import { parseEdge } from '../../analytics/resolve-window.ts'
import { type BucketWidth, calendarUnits } from '../../analytics/window.ts'
import { findZone, nearestZones, type Zone } from '../../calendar/zone.ts'
import { apiError } from '../../errors.ts'
import { Type } from '../../schema/typebox.ts'
import type { Quorum } from '../../store/timeline/state.ts'
import { quoted } from '../../text/shortened.ts'
import { decoded, fieldOf } from './fields.ts'

export const edgeExpected = 'unix seconds, unix milliseconds, an ISO 8601 timestamp with Z or an offset, or a date YYYY-MM-DD'

/** One end of a window in a request body. */
export const edgeField = decoded(
  fieldOf(Type.Unsafe<string | number>({ type: ['string', 'number'], maxLength: 64 }), edgeExpected),
  (value) => parseEdge(String(value)),
  edgeExpected,
)

const maxMinutes = 43_200

export const intervalField = fieldOf(
  Type.Unsafe<BucketWidth>({
    oneOf: [
      { type: 'integer', minimum: 1, maximum: maxMinutes },
      { type: 'string', enum: calendarUnits },
    ],
  }),
  `a whole number of minutes from 1 to ${maxMinutes}, or day, week or month`,
)

export const quorumField = fieldOf(
  Type.Unsafe<Quorum>({
    oneOf: [
      { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
      { type: 'string', enum: ['majority'] },
    ],
  }),
  'a whole number from 1, or majority',
)

export function readZone(name: string): Zone {
  const zone = findZone(name)
  if (!zone) throw apiError('UNKNOWN_TIMEZONE', { name: quoted(name), nearest: nearestZones(name).join(', ') })
  return zone
}
