import { assertAll } from '../probe/assert/assertions.ts'
import { jsonPathValue } from '../probe/assert/json-path.ts'
import type { Judge, Verdict } from '../probe/judge/judge.ts'
import { redactor } from '../probe/redact.ts'
import type { Assertion } from '../probe/settings.ts'
import type { PacketCounts, PingStatistics } from './statistics.ts'

type MeasuredPings = {
  readonly packets: PacketCounts
  readonly measured: PingStatistics
  readonly assertions: readonly Assertion[]
  readonly secrets: readonly string[]
}

export const pingsJudge: Judge<MeasuredPings> = { module: import.meta.url, judge }

export function judge({ packets, measured, assertions, secrets }: MeasuredPings): Verdict {
  const { packetLoss, latencyAvg: avg, latencyMin: min, latencyMax: max, latencyStdDev: stdDev } = measured
  const latency: Readonly<Record<string, number | null>> = { avg, min, max, stdDev }
  const response = { packetsSent: packets.sent, packetsReceived: packets.received, packetLoss, latency: { ...latency } }
  const sources = {
    latency: (which = 'avg') => ({ subject: `${which} latency`, value: () => latency[which] ?? null, unit: ' ms' }),
    jsonResponse: (path = '$') => ({ subject: `JSON response ${path}`, value: () => jsonPathValue(path, response) }),
  }
  const { outcomes, failure } = assertAll(assertions, sources, redactor(secrets))
  return { failure, assertions: outcomes }
}
