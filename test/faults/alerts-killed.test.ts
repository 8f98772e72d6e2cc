// @slow
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { anyRunType, exampleCheck } from '../support/example-config.ts'
import { newKey, serve } from '../support/server-process.ts'
import { httpServer } from '../support/servers.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const rounds = Number(process.env.TIDEMARK_FAULT_ROUNDS ?? 0) || 6
/** Each set of checks changes in so many rounds: one that changes more often is told to be flapping. */
const roundsPerSet = 4
const setOf = (round: number) => [1, 2, 3].map((n) => `check-${Math.floor(round / roundsPerSet)}-${n}`)
const sets = Array.from({ length: Math.ceil(rounds / roundsPerSet) }, (_, set) => setOf(set * roundsPerSet))
const names = sets.flat()

test(
  `a server killed ${rounds} times between decisions and answers leaves nothing untold`,
  async () => {
    const hook = await receiver()
    const folder = temporaryFolder()
    // Each has a location of its own, so that none of them is said to fail as a whole.
    const checks = names.map((id) => ({ ...exampleCheck(anyRunType()), id, name: id, frequency: '10m', locations: [id] }))
    // Each set has a rule of its own, so that none of them is told in a digest.
    const alerts = sets.map((ids, set) => ({ id: `down-${set}`, when: 'failing', checks: ids, to: ['hook'] }))
    const channels = [{ id: 'hook', type: 'webhook', url: hook.url }]
    const account = { id: 'acme', name: 'Acme', checks, channels, alerts }
    writeFileSync(join(folder, 'tidemark.yaml'), JSON.stringify({ accounts: [account] }))
    const key = await newKey(folder)
    const truth = new Map<string, boolean>()
    for (let round = 0; round < rounds; round++) {
      const server = await serve(folder, { key })
      const posting = (async () => {
        for (const [i, checkId] of setOf(round).entries()) {
          const hasFailures = (round + i) % 2 === 0
          await server.post([
            { checkId, startedAt: Date.now(), runLocation: checkId, hasFailures, error: hasFailures ? 'status 503' : null },
          ])
          truth.set(checkId, hasFailures)
        }
      })().catch(() => {})
      await sleep(Math.random() * 250)
      await server.kill()
      await posting
    }
    const server = await serve(folder, { key })
    const believed = () => Object.fromEntries(hook.beliefs())
    await expect.poll(async () => differing(await storedTruth(server), believed()), { timeout: 120_000 }).toEqual([])
    // A message is sent again only where a kill lay between its answer and the record of it.
    expect(hook.repeats()).toBeLessThanOrEqual(rounds * setOf(0).length)
    expect(hook.order()).toEqual([])
    await server.stop()
    console.log(`kill -9 of alerts: ${rounds} rounds, ${hook.count()} messages, ${hook.repeats()} repeated, ${truth.size} checks`)
  },
  rounds * 30_000 + 120_000,
)

type Believed = Readonly<Record<string, boolean>>

const differing = (truth: Believed, believed: Believed) =>
  Object.entries(truth).filter(([id, isDown]) => (believed[id] ?? false) !== isDown)

/** Whether the newest stored result of each check failed. */
async function storedTruth({ url, headers }: Awaited<ReturnType<typeof serve>>): Promise<Believed> {
  const statuses = (await (await fetch(`${url}/v1/check-statuses`, { headers })).json()) as readonly {
    checkId: string
    hasFailures: boolean
  }[]
  return Object.fromEntries(statuses.map(({ checkId, hasFailures }) => [checkId, hasFailures]))
}

type Told = { readonly id: string; readonly type: string; readonly checks: readonly string[] }

/** Keeps what it is told, and takes some time to answer. */
async function receiver() {
  const told: Told[] = []
  const port = await httpServer(async (request, answer) => {
    let body = ''
    for await (const piece of request.setEncoding('utf8')) body += piece
    const { type, data } = JSON.parse(body) as { type: string; data: { subjects: { check: { id: string } }[] } }
    told.push({ id: String(request.headers['webhook-id']), type, checks: data.subjects.map(({ check }) => check.id) })
    await sleep(Math.random() * 100)
    answer.end()
  })
  const distinct = () => told.filter(({ id }, i) => told.findIndex((other) => other.id === id) === i)
  return {
    url: `http://127.0.0.1:${port}/`,
    count: () => told.length,
    repeats: () => told.length - distinct().length,
    beliefs: () => told.flatMap(({ type, checks }) => checks.map((id): [string, boolean] => [id, type === 'alert.open'])),
    /** Messages that tell of a check what the receiver knows, or that it recovered from nothing. What was missed may have been told, too. */
    order: () =>
      names.flatMap((name) => {
        let isDown = false
        return distinct()
          .filter(({ checks }) => checks.includes(name))
          .filter(({ type }) => {
            const wasDown = isDown
            isDown = type === 'alert.open'
            return type !== 'alert.missed' && wasDown === isDown
          })
          .map(({ type }) => `${name}: ${type}`)
      }),
  }
}
