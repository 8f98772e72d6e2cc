import type { Static } from '../../schema/typebox.ts'
import { present, type WireCodec } from '../wire.ts'
import { readAssertions, writeAssertions } from '../wire-assertions.ts'
import { readFamily } from '../wire-http.ts'
import type { IcmpSettings } from './shape.ts'

const sources = {
  LATENCY: { source: 'latency', isNumeric: true, property: {} },
  JSON_RESPONSE: { source: 'jsonResponse', property: {} },
} as const

export const wire: WireCodec<Static<typeof IcmpSettings>> = {
  path: 'icmp',
  read: (body) => {
    const request = body.object('request')
    return present<unknown>({
      request: present<unknown>({
        hostname: request.template('hostname'),
        ipFamily: readFamily(request),
        pingCount: request.number('pingCount') || undefined,
        assertions: readAssertions(request, sources),
      }),
      degradedPacketLoss: body.number('degradedPacketLossThreshold'),
      maxPacketLoss: body.number('maxPacketLossThreshold'),
    })
  },
  write: ({ request: { hostname, ipFamily, pingCount, assertions }, degradedPacketLoss, maxPacketLoss }) => ({
    shouldFail: false,
    request: { hostname, ipFamily: ipFamily ?? null, pingCount: pingCount ?? 10, assertions: writeAssertions(assertions, sources) },
    degradedPacketLossThreshold: whole(degradedPacketLoss),
    maxPacketLossThreshold: whole(maxPacketLoss),
  }),
  pointers: { '/degradedPacketLoss': '/degradedPacketLossThreshold', '/maxPacketLoss': '/maxPacketLossThreshold' },
}

/** Clients take whole numbers only. */
const whole = (percentage: number | undefined) => (percentage === undefined ? null : Math.round(percentage))
