import type { Static } from '../../schema/typebox.ts'
import { failureMessage, ProbeFault } from '../probe/failures.ts'
import { judgeInline } from '../probe/judge/judge.ts'
import { resolve } from '../probe/net/connect.ts'
import type { RunFunction } from '../probe/run.ts'
import { pingsJudge } from './judge-pings.ts'
import { ping } from './ping.ts'
import type { IcmpSettings, metrics } from './shape.ts'
import { packetCounts, pingStatistics } from './statistics.ts'

type Settings = Static<typeof IcmpSettings>

const unmeasured = { packetLoss: null, latencyMin: null, latencyMax: null, latencyAvg: null, latencyStdDev: null }

export const run: RunFunction<Settings, typeof metrics> = async (settings, context) => {
  const { hostname, pingCount: count = 10, ipFamily, assertions = [] } = settings.request
  let at = 'DNS lookup'
  try {
    const [address] = await resolve({ hostname, ipFamily }, context)
    if (address === undefined) throw new ProbeFault(`no IP address found for ${hostname}`)
    at = 'ping'
    const output = await ping({ address, count, timeoutMs: context.timeoutMs, signal: context.signal, env: context.env })
    const measured = pingStatistics(output, count)
    const { packetLoss } = measured
    const packets = packetCounts(output, count)
    const judge = assertions.length === 0 ? judgeInline : context.judge
    const verdict = await judge(pingsJudge, { packets, measured, assertions, secrets: context.secrets })
    const { degradedPacketLoss = 100, maxPacketLoss } = settings
    return {
      metrics: measured,
      failure: lossFailure(packetLoss, maxPacketLoss) ?? verdict.failure,
      broken: packetLoss === 100,
      degraded: packetLoss > degradedPacketLoss,
      assertions: verdict.assertions,
    }
  } catch (error) {
    return { metrics: unmeasured, failure: failureMessage(error, at, context), broken: true }
  }
}

/** Without a limit, one reply is enough. */
function lossFailure(packetLoss: number, maxPacketLoss = 100): string | null {
  if (packetLoss === 100) return 'no reply to any ping'
  return packetLoss > maxPacketLoss ? `packet loss ${Number(packetLoss.toFixed(1))} %, expected at most ${maxPacketLoss} %` : null
}
