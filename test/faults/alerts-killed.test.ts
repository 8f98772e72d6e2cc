// @slow ci waiting
import { EventEmitter, once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { anyRunType, exampleCheck } from '../support/example-config.ts'
import { newKey, serve } from '../support/server-process.ts'
import { httpServer } from '../support/servers.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const rounds = Number(process.env.TIDEMARK_FAULT_ROUNDS ?? 0) || 5
/** Each set of checks changes in this many rounds: a check that changes more often would be reported as flapping. */
const roundsPerSet = 4

test.each([
  // A rule notifies of ten problems a minute individually.
  { what: 'individually', checksPerSet: 3, batch: 1 },
  { what: 'in digests', checksPerSet: 16, batch: 5 },
])(
  `a server that notifies of checks $what and is killed ${rounds} times between decisions and responses loses no notification`,
  async ({ what, checksPerSet, batch }) => {
    const setOf = (round: number) =>
      Array.from({ length: checksPerSet }, (_, n) => `check-${Math.floor(round / roundsPerSet)}-${String(n).padStart(2, '0')}`)
    const sets = Array.from({ length: Math.ceil(rounds / roundsPerSet) }, (_, set) => setOf(set * roundsPerSet))
    const hook = await receiver(sets.flat())
    const folder = temporaryFolder()
    // Each has its own location, so that none of the locations is reported as failing.
    const checks = sets.flat().map((id) => ({ ...exampleCheck(anyRunType()), id, name: id, frequency: '10m', locations: [id] }))
    const alerts = sets.map((ids, set) => ({ id: `down-${set}`, when: 'failing', checks: ids, to: ['hook'] }))
    const channels = [{ id: 'hook', type: 'webhook', url: hook.url }]
    const account = { id: 'acme', name: 'Acme', checks, channels, alerts }
    writeFileSync(join(folder, 'tidemark.yaml'), JSON.stringify({ accounts: [account] }))
    const key = await newKey(folder)
    for (let round = 0; round < rounds; round++) {
      const server = await serve(folder, { key })
      const rows = setOf(round).map((checkId, i) => {
        const hasFailures = (round + i) % 2 === 0
        return { checkId, startedAt: Date.now(), runLocation: checkId, hasFailures, error: hasFailures ? 'status 503' : null }
      })
      const posting = (async () => {
        for (let i = 0; i < rows.length; i += batch) await server.post(rows.slice(i, i + batch))
      })().catch(() => {})
      // However slow the machine is, the kill happens while messages are being sent.
      await Promise.race([hook.next(), sleep(5000)])
      await sleep(Math.random() * 150)
      await server.kill()
      await posting
    }
    const server = await serve(folder, { key })
    const believed = () => Object.fromEntries(hook.beliefs())
    // Changes of a digest are sent once a minute.
    await expect.poll(async () => differing(await storedTruth(server), believed()), { timeout: 240_000, interval: 1000 }).toEqual([])
    // A message is repeated only if a kill occurred between its response and the record of it.
    expect(hook.repeats()).toBeLessThanOrEqual(rounds * checksPerSet)
    expect(hook.order()).toEqual([])
    await server.stop()
    const counts = `${hook.count()} messages, ${hook.ofSeveral()} of several checks, ${hook.repeats()} repeated`
    console.log(`kill -9 of alerts sent ${what}: ${rounds} rounds, ${counts}, ${checks.length} checks`)
  },
  rounds * 30_000 + 300_000,
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

type Subject = { readonly check: { readonly id: string }; readonly isNew: boolean; readonly until: string | null }
type ReceivedMessage = { readonly id: string; readonly type: string; readonly subjects: readonly Subject[] }

/** Records the messages about these checks, and takes some time to answer. */
async function receiver(names: readonly string[]) {
  const received: ReceivedMessage[] = []
  const heard = new EventEmitter()
  const port = await httpServer(async (request, answer) => {
    let body = ''
    for await (const piece of request.setEncoding('utf8')) body += piece
    const { type, data } = JSON.parse(body) as { type: string; data: { subjects: Subject[] } }
    received.push({ id: String(request.headers['webhook-id']), type, subjects: data.subjects })
    heard.emit('message')
    await sleep(Math.random() * 100)
    answer.end()
  })
  const distinct = () => received.filter(({ id }, i) => received.findIndex((other) => other.id === id) === i)
  return {
    url: `http://127.0.0.1:${port}/`,
    count: () => received.length,
    next: () => once(heard, 'message'),
    ofSeveral: () => received.filter(({ subjects }) => subjects.length > 1).length,
    repeats: () => received.length - distinct().length,
    /** One message may report that some checks fail, and that others no longer do. */
    beliefs: () => received.flatMap(({ subjects }) => subjects.map(({ check, until }): [string, boolean] => [check.id, until === null])),
    /**
     * Messages that repeat what the receiver already knows, or report a recovery without a failure. They may cover earlier missed
     * changes.
     */
    order: () => {
      const messages = distinct()
      return names.flatMap((name) => {
        let isDown = false
        return messages.flatMap(({ type, subjects }) => {
          const subject = subjects.find(({ check }) => check.id === name)
          if (!subject) return []
          const wasDown = isDown
          isDown = subject.until === null
          const isMissed = !isDown && (type === 'alert.missed' || subject.isNew)
          return isMissed || wasDown !== isDown ? [] : [`${name}: ${type}`]
        })
      })
    },
  }
}
