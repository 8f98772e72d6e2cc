// @slow
import { describe, expect, test } from 'vitest'
import { machine, needing } from '../../../test/support/needs.ts'
import { runContext } from '../../../test/support/run-context.ts'
import { hasIpv6 } from '../../../test/support/servers.ts'
import { structureFindings } from '../../catalogue/config-file/structure.ts'
import { addressPolicy } from '../probe/net/addresses.ts'
import { icmp } from './index.ts'
import { judge } from './judge-pings.ts'
import { icmpAvailable, ping, pingCommand } from './ping.ts'
import { run } from './run.ts'
import { pingStatistics } from './statistics.ts'

const fewer = (more: { readonly property?: string; readonly target: number }) =>
  ({ source: 'latency', comparison: 'lessThan', ...more }) as const

describe('on a machine with ping', needing(await icmpAvailable(machine)), () => {
  test.each(hasIpv6 ? ['127.0.0.1', '::1', 'localhost'] : ['127.0.0.1', 'localhost'])('%s replies', async (hostname) => {
    const { metrics, failure, broken } = await run({ request: { hostname, pingCount: 3 } }, runContext())
    expect({ failure, broken }).toEqual({ failure: null, broken: false })
    const { packetLoss, latencyMin, latencyAvg, latencyMax, latencyStdDev } = metrics
    expect(packetLoss).toBe(0)
    expect(latencyMin).toBeGreaterThan(0)
    expect(latencyMin).toBeLessThanOrEqual(latencyAvg ?? 0)
    expect(latencyAvg).toBeLessThanOrEqual(latencyMax ?? 0)
    expect(latencyStdDev).toBeGreaterThanOrEqual(0)
  })

  test('assertions on the pings are evaluated', async () => {
    const request = { hostname: '127.0.0.1', pingCount: 2, assertions: [fewer({ property: 'max', target: 0 })] }
    const { failure, broken, assertions } = await run({ request }, runContext())
    expect([failure, broken]).toEqual([expect.stringMatching(/^max latency [0-9.]+ ms, expected less than 0 ms$/), false])
    expect(assertions).toMatchObject([{ passed: false }])
  })

  test('an unreachable address breaks the run', async () => {
    const { metrics, failure, broken } = await run({ request: { hostname: '240.0.0.1', pingCount: 1 } }, runContext({ timeoutMs: 4000 }))
    expect(broken).toBe(true)
    expect(failure).toEqual(expect.any(String))
    expect(metrics.latencyAvg).toBeNull()
  })

  test('a run that exceeds its timeout is aborted', async () => {
    const stopped = new AbortController()
    setTimeout(() => stopped.abort(), 150)
    const running = run({ request: { hostname: '127.0.0.1', pingCount: 50 } }, runContext({ signal: stopped.signal, timeoutMs: 60_000 }))
    expect(await running).toMatchObject({ failure: 'no answer within 60,000 ms at ping', broken: true, metrics: { packetLoss: null } })
  })

  test('the self-test passes', async () => {
    expect(await icmp.selfTest?.(machine)).toBeNull()
  })
})

describe('on a machine without ping', () => {
  const env = { PATH: '/nowhere' }
  const words = /^ping is missing on this machine: install it \(Debian, Ubuntu: apt-get install iputils-ping/

  test('the self-test reports that it is missing and how to install it', async () => {
    expect(await icmpAvailable({ env })).toMatch(words)
  })

  test('a ping is rejected with the same message', async () => {
    const request = { address: '127.0.0.1', count: 1, timeoutMs: 1000, signal: AbortSignal.timeout(5000), env }
    await expect(ping(request)).rejects.toThrow(words)
  })

  test('a run fails with the same message', async () => {
    const { failure, broken } = await run({ request: { hostname: '127.0.0.1' } }, runContext({ env }))
    expect(failure).toMatch(words)
    expect(broken).toBe(true)
  })
})

describe('no ping is sent to', () => {
  test.each(['169.254.169.254', '::ffff:169.254.169.254', 'fe80::1'])('%s', async (hostname) => {
    const { failure } = await run({ request: { hostname } }, runContext())
    expect(failure).toBe(`the address ${hostname} is not allowed for checks`)
  })

  test('a hostname that resolves to a denied address', async () => {
    const admit = addressPolicy({ allow: [], deny: ['127.0.0.0/8', '::1'] })
    expect((await run({ request: { hostname: 'localhost' } }, runContext({ admit }))).failure).toMatch(/is not allowed for checks$/)
  })

  test.each(['-f', '--help', '127.0.0.1 -f', '$(reboot)', '-c1;id'])(
    'something that looks like an option or a command: %s',
    async (hostname) => {
      const { failure, broken } = await run({ request: { hostname } }, runContext())
      expect({ failure, broken }).toEqual({ failure: `"${hostname}" is not a hostname`, broken: true })
    },
  )
})

describe('the command line', () => {
  test('is a fixed argument list that ends with the address', () => {
    expect(pingCommand('linux', { address: '192.0.2.1', count: 10, timeoutMs: 30_000 })).toEqual({
      file: 'ping',
      args: ['-n', '-c', '10', '-i', '0.2', '-W', '5', '192.0.2.1'],
    })
    expect(pingCommand('darwin', { address: '192.0.2.1', count: 10, timeoutMs: 30_000 }).args).toContain('5000')
    expect(pingCommand('darwin', { address: '2001:db8::1', count: 3, timeoutMs: 30_000 }).file).toBe('ping6')
  })

  test('shortens the interval so that many pings fit the timeout', () => {
    const { args } = pingCommand('linux', { address: '192.0.2.1', count: 50, timeoutMs: 6000 })
    expect(args).toEqual(['-n', '-c', '50', '-i', '0.1', '-W', '1', '192.0.2.1'])
  })
})

describe('the output', () => {
  const iputils = `PING 192.0.2.1 (192.0.2.1) 56(84) bytes of data.
64 bytes from 192.0.2.1: icmp_seq=1 ttl=57 time=10.1 ms
64 bytes from 192.0.2.1: icmp_seq=2 ttl=57 time=12.3 ms
64 bytes from 192.0.2.1: icmp_seq=2 ttl=57 time=13.9 ms (DUP!)
From 192.0.2.254 icmp_seq=3 Destination Host Unreachable

--- 192.0.2.1 ping statistics ---
4 packets transmitted, 2 received, +1 duplicates, +1 errors, 50% packet loss, time 603ms
rtt min/avg/max/mdev = 10.093/12.066/13.861/1.543 ms
`
  const busybox = `PING 127.0.0.1 (127.0.0.1): 56 data bytes
64 bytes from 127.0.0.1: seq=0 ttl=64 time=1.000 ms
64 bytes from 127.0.0.1: seq=1 ttl=64 time=3.000 ms

--- 127.0.0.1 ping statistics ---
2 packets transmitted, 2 packets received, 0% packet loss
round-trip min/avg/max = 1.000/2.000/3.000 ms
`
  const bsd = `PING6(56=40+8+8 bytes) ::1 --> ::1
16 bytes from ::1, icmp_seq=0 hlim=64 time=0.112 ms

--- ::1 ping6 statistics ---
1 packets transmitted, 1 packets received, 0.0% packet loss
round-trip min/avg/max/std-dev = 0.112/0.112/0.112/0.000 ms
`

  test('of iputils is parsed, with a duplicate reply counted once', () => {
    expect(pingStatistics(iputils, 4)).toEqual({
      packetLoss: 50,
      latencyMin: 10.093,
      latencyAvg: 12.066,
      latencyMax: 13.861,
      latencyStdDev: 1.543,
    })
  })

  test('of BusyBox is parsed, without a deviation', () => {
    expect(pingStatistics(busybox, 2)).toEqual({ packetLoss: 0, latencyMin: 1, latencyAvg: 2, latencyMax: 3, latencyStdDev: 1 })
  })

  test('of BSD is parsed', () => {
    expect(pingStatistics(bsd, 1)).toMatchObject({ packetLoss: 0, latencyAvg: 0.112, latencyStdDev: 0 })
  })

  test('without a reply has no latency', () => {
    const lost = '10 packets transmitted, 0 received, 100% packet loss, time 9ms\n'
    expect(pingStatistics(lost, 10)).toMatchObject({ packetLoss: 100, latencyMin: null, latencyAvg: null })
  })
})

describe('assertions', () => {
  const pings = { packetLoss: 50, latencyMin: 10, latencyAvg: 12.5, latencyMax: 15, latencyStdDev: 2.5 }
  const packets = { sent: 4, received: 2 }
  const judged = (source: string, property: string, target: number) =>
    judge({ packets, measured: pings, assertions: [{ source, property, comparison: 'equals', target }], secrets: [] })

  test.each([
    ['latency', 'avg', 12.5],
    ['latency', 'min', 10],
    ['latency', 'max', 15],
    ['latency', 'stdDev', 2.5],
    ['jsonResponse', '$.packetsSent', 4],
    ['jsonResponse', '$.packetsReceived', 2],
    ['jsonResponse', '$.packetLoss', 50],
    ['jsonResponse', '$.latency.max', 15],
  ])('%s %s is %d', (source, property, value) => {
    expect(judged(source, property, value).failure).toBeNull()
    expect(judged(source, property, value + 1).failure).toMatch(/, expected/)
  })

  test('a latency without replies is null', () => {
    const lost = { packetLoss: 100, latencyMin: null, latencyAvg: null, latencyMax: null, latencyStdDev: null }
    const assertions = [fewer({ property: 'avg', target: 100 })]
    expect(judge({ packets: { sent: 4, received: 0 }, measured: lost, assertions, secrets: [] }).failure).toBe(
      'avg latency nothing, expected less than 100 ms',
    )
  })

  test.each([
    [{ source: 'latency', comparison: 'lessThan', target: 100 }, 'latency requires a property: avg, min, max, stdDev'],
    [{ source: 'latency', property: 'p95', comparison: 'lessThan', target: 100 }, 'latency requires a property: avg, min, max, stdDev'],
    [{ source: 'jsonResponse', property: '$[', comparison: 'equals', target: 1 }, 'JSONPath'],
  ])('%j is rejected', (assertion, fault) => {
    const found = structureFindings(icmp.settings, { request: { hostname: 'router.example', assertions: [assertion] } }, [])
    expect(found.map(({ text }) => text).join()).toContain(fault)
  })
})
