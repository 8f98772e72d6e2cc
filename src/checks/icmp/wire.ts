import type { Static } from '../../schema/typebox.ts'
import { present, type WireCodec } from '../wire.ts'
import { readFamily } from '../wire-http.ts'
import type { IcmpSettings } from './shape.ts'

export const wire: WireCodec<Static<typeof IcmpSettings>> = {
  path: 'icmp',
  read: (body) => {
    const request = body.object('request')
    if (request.objects('assertions').length > 0)
      request.fault(
        'assertions',
        'assertions are not supported here: degradedPacketLossThreshold, maxPacketLossThreshold and maxResponseTime are',
      )
    return present<unknown>({
      request: present<unknown>({
        hostname: request.template('hostname'),
        ipFamily: readFamily(request),
        pingCount: request.number('pingCount') || undefined,
      }),
      degradedPacketLoss: body.number('degradedPacketLossThreshold'),
      maxPacketLoss: body.number('maxPacketLossThreshold'),
    })
  },
  write: ({ request: { hostname, ipFamily, pingCount }, degradedPacketLoss, maxPacketLoss }) => ({
    shouldFail: false,
    request: { hostname, ipFamily: ipFamily ?? null, pingCount: pingCount ?? 10, assertions: [] },
    degradedPacketLossThreshold: whole(degradedPacketLoss),
    maxPacketLossThreshold: whole(maxPacketLoss),
  }),
  pointers: { '/degradedPacketLoss': '/degradedPacketLossThreshold', '/maxPacketLoss': '/maxPacketLossThreshold' },
}

/** Clients take whole numbers only. */
const whole = (percentage: number | undefined) => (percentage === undefined ? null : Math.round(percentage))
