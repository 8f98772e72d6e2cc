export type PingStatistics = {
  readonly packetLoss: number
  readonly latencyMin: number | null
  readonly latencyMax: number | null
  readonly latencyAvg: number | null
  readonly latencyStdDev: number | null
}

/** Parses the output of ping. Uses ping's own summary if it has all four figures, else computes them from the replies. */
export function pingStatistics(output: string, count: number): PingStatistics {
  const times = replyTimes(output)
  const { sent } = packetCounts(output, count)
  const packetLoss = Math.max(0, ((sent - times.length) * 100) / sent)
  return { packetLoss, ...(times.length === 0 ? noLatency : (summary(output) ?? latencies(times))) }
}

export type PacketCounts = { readonly sent: number; readonly received: number }

export function packetCounts(output: string, count: number): PacketCounts {
  const sent = Number(/(\d+) packets transmitted/.exec(output)?.[1] ?? count) || count
  return { sent, received: replyTimes(output).length }
}

type Latencies = Omit<PingStatistics, 'packetLoss'>

const noLatency: Latencies = { latencyMin: null, latencyMax: null, latencyAvg: null, latencyStdDev: null }

/** One time per sequence number: duplicate replies count once. */
function replyTimes(output: string): readonly number[] {
  const replies = output.matchAll(/\bbytes from .*?\b(?:icmp_)?seq[= ](\d+).*?\btime[=<]\s*([0-9.]+) ?ms/g)
  return [...new Map([...replies].reverse().map(([, sequence, time]) => [sequence, Number(time)])).values()].reverse()
}

/** `rtt min/avg/max/mdev = 0.021/0.034/0.058/0.011 ms`; BSD says `round-trip` and `stddev`, BusyBox omits the last. */
function summary(output: string): Latencies | null {
  const figures = /min\/avg\/max\/(?:mdev|stddev|std-dev) = ([0-9./]+) ms/.exec(output)?.[1]?.split('/').map(Number)
  if (figures?.length !== 4 || !figures.every(Number.isFinite)) return null
  const [latencyMin = 0, latencyAvg = 0, latencyMax = 0, latencyStdDev = 0] = figures
  return { latencyMin, latencyMax, latencyAvg, latencyStdDev }
}

function latencies(times: readonly number[]): Latencies {
  const latencyAvg = mean(times)
  return {
    latencyMin: Math.min(...times),
    latencyMax: Math.max(...times),
    latencyAvg,
    latencyStdDev: Math.sqrt(mean(times.map((time) => (time - latencyAvg) ** 2))),
  }
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
