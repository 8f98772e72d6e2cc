import type { ChannelType } from '../../src/alerts/channels/channel.ts'
import { Type } from '../../src/schema/typebox.ts'

const settings = Type.Refine(
  Type.Object({
    url: Type.String({ pattern: '^https?://', maxLength: 2000, description: 'an address that starts with http:// or https://' }),
    token: Type.Optional(Type.String({ maxLength: 200 })),
    room: Type.Optional(Type.String({ maxLength: 200 })),
    headers: Type.Optional(Type.Record(Type.String(), Type.String())),
  }),
  ({ token, headers }) => token === undefined || headers === undefined,
  () => 'has either token or headers',
)

/** A channel type that discards all messages. */
export const testChannelType: ChannelType = {
  type: 'pigeon',
  label: 'Pigeon',
  settings,
  secrets: ({ token }) => (typeof token === 'string' ? [token] : []),
  address: ({ url }) => String(url),
  limits: { perMinute: 60, concurrent: 1 },
  repeatEveryMs: null,
  deliver: async () => ({ outcome: 'delivered', answer: 'coo' }),
}
