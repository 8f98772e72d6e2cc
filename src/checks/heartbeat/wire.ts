import type { Static } from '../../schema/typebox.ts'
import { durationMs } from '../duration.ts'
import { type Kept, present, type WireCodec } from '../wire.ts'
import type { WireReader } from '../wire-reader.ts'
import type { HeartbeatSettings } from './shape.ts'

type Heartbeat = Static<typeof HeartbeatSettings>['heartbeat']

export const wire: WireCodec<{ readonly heartbeat: Heartbeat }> = {
  path: 'heartbeat',
  read: (body, kept) => {
    const heartbeat = body.object('heartbeat')
    body.ignore('request')
    heartbeat.ignore('pingUrl', 'alertSettings')
    return {
      heartbeat: present({
        period: readDuration(heartbeat, 'period'),
        schedule: heartbeat.text('schedule'),
        timezone: heartbeat.text('timezone'),
        grace: readDuration(heartbeat, 'grace'),
        token: heartbeat.text('pingToken') ?? previousToken(kept) ?? kept.newToken(),
      }),
    }
  },
  write: ({ heartbeat: { token, schedule, timezone } }, { resolved, pingUrl }) => ({
    heartbeat: {
      ...writeDuration('period', resolved.heartbeat.period),
      ...writeDuration('grace', resolved.heartbeat.grace),
      schedule: schedule ?? null,
      timezone: timezone ?? null,
      pingToken: token,
      pingUrl: pingUrl && isPlain(token) ? pingUrl(token) : null,
    },
  }),
  pointers: { '/heartbeat/token': '/heartbeat/pingToken' },
}

/** Neither a variable nor a hash. */
const isPlain = (token: string) => !/^sha256:|[${}]/.test(token)

function previousToken({ previous }: Kept): string | undefined {
  return (previous as { readonly heartbeat?: Partial<Heartbeat> } | undefined)?.heartbeat?.token
}

const unitNames = { s: 'seconds', m: 'minutes', h: 'hours', d: 'days' } as const
const units = { SECONDS: 's', MINUTES: 'm', HOURS: 'h', DAYS: 'd' } as const

function readDuration(heartbeat: WireReader, name: 'period' | 'grace'): string | undefined {
  const count = heartbeat.number(name) ?? 0
  const unit = heartbeat.word(`${name}Unit`, units)
  if (count === 0) return name === 'grace' && unit !== undefined && unit !== 's' ? `0${unit}` : undefined
  if (unit === undefined) {
    if (!heartbeat.raw(`${name}Unit`)) heartbeat.fault(`${name}Unit`, `${name}Unit is missing`)
    return undefined
  }
  if (Number.isInteger(count) && count > 0 && count < 1e9) return `${count}${unit}`
  heartbeat.fault(name, `${name} must be a whole number`)
  return undefined
}

/** Keeps the unit of the setting; milliseconds are rounded up to seconds. */
function writeDuration(name: 'period' | 'grace', text: string | undefined) {
  const [, count = '', unit = ''] = /^(\d+)([smhd])$/.exec(text ?? '') ?? []
  if (count !== '') return { [name]: Number(count), [`${name}Unit`]: unitNames[unit as keyof typeof unitNames] }
  const isDuration = text !== undefined && /^\d+ms$/.test(text)
  return { [name]: isDuration ? Math.ceil(durationMs(text) / 1000) : 0, [`${name}Unit`]: 'seconds' }
}
