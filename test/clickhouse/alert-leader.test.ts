// @slow clickhouse
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { type AlertServer, alertServers } from '../support/alert-servers.ts'
import { needing } from '../support/needs.ts'
import { isModern, serverMissing, sharedServer } from './engines/server.ts'

const patient = { timeout: 60_000, interval: 100 }
const checks = ['first', 'second', 'third', 'fourth', 'silenced', 'remote']

/** A current version runs one query at a time, which takes seconds under emulation. */
describe.skipIf(isModern)(
  'alerts of servers that share a ClickHouse database',
  { ...needing(await serverMissing()), timeout: 300_000 },
  () => {
    let world: Awaited<ReturnType<typeof alertServers>>
    let servers: AlertServer[]
    const others = (name: string) => servers.filter((server) => server.name !== name)
    const metric = async ({ url, headers }: AlertServer, name: string) => {
      const text = await (await fetch(`${url}/metrics`, { headers })).text()
      return Number(new RegExp(`^${name}(?:\\{.*\\})? (.*)$`, 'm').exec(text)?.[1])
    }
    beforeAll(async () => {
      const env = { TIDEMARK_CLICKHOUSE_URL: `${await sharedServer()}/test_${randomUUID().replaceAll('-', '')}` }
      world = await alertServers({ checks, env, rule: { remind: { every: '1m', times: 9 } }, agentLocation: 'remote' })
      servers = [await world.start('a'), await world.start('b'), await world.start('c')]
    }, 300_000)

    test('are sent by one of them for results that any of them has stored, and are listed by all of them', async () => {
      const leader = await world.leader(servers, 60_000)
      const [follower] = others(leader.name)
      if (!follower) throw new Error('there is no other')
      await world.post(follower, 'first', true)
      await expect.poll(() => world.of('first'), patient).toEqual(['alert.open'])
      for (const server of servers) {
        const messages = async () => {
          const { alerts } = await world.ask<{ alerts: { messages: { state: string }[] }[] }>(server, '/v1/alerts?state=open')
          return alerts.flatMap(({ messages }) => messages.map(({ state }) => state))
        }
        await expect.poll(messages, patient).toEqual(['delivered'])
        await expect.poll(() => metric(server, 'tidemark_alerts_open'), patient).toBe(1)
        expect(await metric(server, 'tidemark_alerts_leader')).toBe(Number(server === leader))
      }
      expect(new Set(world.received.map(({ by }) => by))).toEqual(new Set([leader.name]))
    })

    test('a follower can acknowledge, silence, test and explain', async () => {
      const leader = await world.leader(servers, 60_000)
      const [follower, other] = others(leader.name)
      if (!follower || !other) throw new Error('there are no others')
      const { alerts } = await world.ask<{ alerts: { id: string }[] }>(follower, '/v1/alerts?state=open')
      const acknowledged = await world.ask<{ acknowledged: object }>(follower, `/v1/alerts/${alerts[0]?.id}/acknowledge`, 'POST')
      expect(acknowledged.acknowledged).toMatchObject({ by: expect.stringMatching(/^feeder /) })
      const silence = await world.ask<{ id: string }>(follower, '/v1/silences', 'POST', { checks: ['silenced'], duration: '1h' })
      expect(await world.ask(follower, '/v1/silences')).toMatchObject([{ id: silence.id }])
      await expect.poll(() => world.ask(other, '/v1/silences'), patient).toMatchObject([{ id: silence.id }])
      await world.post(other, 'silenced', true)
      await expect
        .poll(
          async () => (await world.ask<{ alerts: object[] }>(follower, '/v1/alerts?state=open&checkId=silenced')).alerts.length,
          patient,
        )
        .toBe(1)
      const { rules } = await world.ask<{ rules: { reasons: { code: string }[] }[] }>(follower, '/v1/alerts/explain?checkId=silenced')
      expect(rules.flatMap(({ reasons }) => reasons.map(({ code }) => code))).toContain('silence')
      expect(world.of('silenced')).toEqual([])
      await world.ask(other, `/v1/silences/${silence.id}`, 'DELETE')
      await expect.poll(() => world.of('silenced'), patient).toEqual(['alert.open'])
      expect(await world.ask(other, '/v1/alert-channels/hook/test', 'POST')).toMatchObject({ outcome: 'delivered' })
      expect(world.received.at(-1)).toMatchObject({ by: leader.name, type: 'alert.test' })
    })

    test('the leader knows the canary status that agents report to a follower', async () => {
      const leader = await world.leader(servers, 60_000)
      const [follower] = others(leader.name)
      if (!follower) throw new Error('there is no other')
      const report = (canary: string) =>
        fetch(`${follower.url}/v1/agents/checks?protocol=1&location=remote&instance=probe&canary=${canary}&canaryAgeMs=0`, {
          headers: { authorization: `Bearer ${world.agentKey}` },
        })
      const received = () =>
        world.received.filter(({ title }) => title.startsWith('remote')).map(({ by, type, title }) => [by, type, title.slice(0, 22)])
      expect((await report('unreached')).status).toBe(200)
      await expect.poll(received, patient).toEqual([[leader.name, 'alert.open', 'remote cannot reach an']])
      await report('reached')
      await expect.poll(() => received().at(-1), patient).toEqual([leader.name, 'alert.close', 'remote can reach its c'])
    })

    const agentsKnownTo = async (server: AlertServer) => {
      const { rules } = await world.ask<{ rules: { reasons: { text: string }[] }[] }>(server, '/v1/alerts/explain?checkId=remote')
      const texts = rules.flatMap(({ reasons }) => reasons.map(({ text }) => text))
      return texts.filter((text) => text.startsWith('Agent ')).map((text) => text.slice(0, text.indexOf(' of ')))
    }
    const report = (server: AlertServer, instance: string, more = '') =>
      fetch(`${server.url}/v1/agents/checks?protocol=1&location=remote&instance=${instance}&name=${instance}&session=1${more}`, {
        headers: { authorization: `Bearer ${world.agentKey}` },
      })

    test('the leader knows which agents have reported to a follower, and which have stopped', async () => {
      const leader = await world.leader(servers, 60_000)
      const [follower, other] = others(leader.name)
      if (!follower || !other) throw new Error('there are no others')
      await report(follower, 'one')
      await report(follower, 'two')
      await expect.poll(() => agentsKnownTo(leader), patient).toEqual(expect.arrayContaining(['Agent one', 'Agent two']))
      await report(other, 'two', '&stopping=true')
      await expect.poll(() => agentsKnownTo(leader), patient).not.toContain('Agent two')
      expect(await agentsKnownTo(leader)).toContain('Agent one')
    })

    test('a follower takes over within a minute of a kill, and sends the missing messages without duplicates', async () => {
      const killed = await world.leader(servers, 60_000)
      const rest = others(killed.name)
      await killed.kill()
      const killedAt = Date.now()
      await world.post(rest[0] as AlertServer, 'second', true)
      await world.post(rest[1] as AlertServer, 'silenced', false)
      await expect.poll(() => [world.of('second'), world.of('silenced')], patient).toEqual([['alert.open'], ['alert.open', 'alert.close']])
      expect(Date.now() - killedAt).toBeLessThan(60_000)
      expect(world.received.at(-1)?.by).not.toBe(killed.name)
      servers = rest
      const known = await agentsKnownTo(await world.leader(rest, 60_000))
      expect([known.includes('Agent one'), known.includes('Agent two')]).toEqual([true, false])
      // The stopped server is started again until the end of this test.
      await world.post(await world.start(killed.name), 'second', false)
      await expect.poll(() => world.of('second'), patient).toEqual(['alert.open', 'alert.close'])
      expect(world.repeats()).toBe(0)
      // It was acknowledged before the kill, so there is no reminder.
      expect(world.received.filter((each) => each.checks.includes('first'))).toHaveLength(1)
    })

    test('a leader that was suspended past its lease sends nothing when it resumes, and becomes a follower', async () => {
      const stopped = await world.leader(servers, 60_000)
      const [other] = others(stopped.name)
      if (!other) throw new Error('there is no other')
      process.kill(stopped.pid, 'SIGSTOP')
      try {
        await world.post(other, 'third', true)
        await expect.poll(() => world.of('third'), patient).toEqual(['alert.open'])
      } finally {
        process.kill(stopped.pid, 'SIGCONT')
      }
      const before = world.received.length
      await world.post(other, 'third', false)
      await world.post(stopped, 'fourth', true)
      await expect.poll(() => [world.of('third'), world.of('fourth')], patient).toEqual([['alert.open', 'alert.close'], ['alert.open']])
      await expect.poll(() => world.leads(stopped), patient).toBe(false)
      const seen = async () => (await world.ask<{ alerts: object[] }>(stopped, '/v1/alerts?checkId=fourth&state=open')).alerts.length
      await expect.poll(seen, patient).toBe(1)
      expect(world.received.slice(before).map(({ by }) => by)).not.toContain(stopped.name)
      expect(world.repeats()).toBe(0)
    })

    test('a leader that shuts down hands over at once', async () => {
      const ended = await world.leader(servers, 60_000)
      await ended.stop()
      servers = others(ended.name)
      const stoppedAt = Date.now()
      await world.leader(servers, 60_000)
      expect(Date.now() - stoppedAt).toBeLessThan(20_000)
      await world.post(servers[0] as AlertServer, 'fourth', false)
      await expect.poll(() => world.of('fourth'), patient).toEqual(['alert.open', 'alert.close'])
    })
  },
)
