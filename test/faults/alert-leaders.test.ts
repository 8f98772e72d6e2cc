// @slow clickhouse
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isModern, serverMissing, sharedServer } from '../clickhouse/engines/server.ts'
import { type AlertServer, alertServers } from '../support/alert-servers.ts'
import { needing } from '../support/needs.ts'

const rounds = Number(process.env.TIDEMARK_FAULT_ROUNDS ?? 0) > 0 ? 40 : 2
const seed = Number(process.env.TIDEMARK_TEST_SEED) || Date.now() % 1_000_000
const patient = { timeout: 60_000, interval: 100 }

const fault = fc.record({
  kind: fc.constantFrom('kill', 'stop', 'shutdown'),
  /** Mostly the leader. */
  target: fc.constantFrom('leader', 'leader', 'leader', 'other'),
  /** Between a result and the fault: before, while or after it is sent to the channel. */
  afterMs: fc.integer({ min: 0, max: 2500 }),
})
const faults = fc.sample(fault, { seed, numRuns: rounds })
const checksOf = (round: number) => [`before-${round}`, `after-${round}`] as const

describe.skipIf(isModern)('three servers that share a ClickHouse database', { ...needing(await serverMissing()), retry: 0 }, () => {
  test(
    `lose no notification in ${rounds} rounds of kills, stops and shutdowns`,
    async () => {
      console.log(`faults of alert leaders: seed ${seed}`)
      const env = { TIDEMARK_CLICKHOUSE_URL: `${await sharedServer()}/test_${randomUUID().replaceAll('-', '')}` }
      const world = await alertServers({ checks: faults.flatMap((_, round) => checksOf(round)), env })
      let servers = [await world.start('a'), await world.start('b'), await world.start('c')]
      for (const [round, { kind, target, afterMs }] of faults.entries()) {
        const [before, after] = checksOf(round)
        const leader = await world.leader(servers, 60_000)
        const struck = target === 'leader' ? leader : (servers.find((server) => server !== leader) as AlertServer)
        const rest = servers.filter((server) => server !== struck)
        await world.post(rest[0] as AlertServer, before, true)
        await sleep(afterMs)
        if (kind === 'stop') process.kill(struck.pid, 'SIGSTOP')
        else await (kind === 'kill' ? struck.kill() : struck.stop())
        try {
          await world.post(rest[1] as AlertServer, after, true)
          const received = () => [world.of(before), world.of(after)]
          await expect.poll(received, { ...patient, message: `round ${round} of seed ${seed}` }).toEqual([['alert.open'], ['alert.open']])
        } finally {
          if (kind === 'stop') process.kill(struck.pid, 'SIGCONT')
        }
        const sent = world.received.length
        servers = kind === 'stop' ? servers : [...rest, await world.start(struck.name)]
        for (const check of [before, after]) await world.post(rest[0] as AlertServer, check, false)
        for (const check of [before, after]) await expect.poll(() => world.of(check), patient).toEqual(['alert.open', 'alert.close'])
        expect(world.received.slice(sent).map(({ by }) => by)).not.toContain(struck.name)
      }
      // A message is repeated only if the fault occurred between its response and the record of it.
      expect(world.repeats()).toBeLessThanOrEqual(rounds)
      console.log(`faults of alert leaders: ${rounds} rounds, ${world.received.length} messages, ${world.repeats()} repeated`)
    },
    rounds * 200_000 + 60_000,
  )
})
