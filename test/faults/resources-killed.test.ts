// @slow ci
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { configuredFolder, tidemark } from '../support/command.ts'
import { recordedCheck, resource } from '../support/projects.ts'
import { newKey, type ServerProcess, serve } from '../support/server-process.ts'
import { seeded } from '../support/timeline.ts'

const rounds = Number(process.env.TIDEMARK_FAULT_ROUNDS ?? 0) || 4
const seed = Number(process.env.TIDEMARK_TEST_SEED) || Date.now() % 1_000_000

/** Resources that are written step by step; each step has a different state. */
type Subject = {
  readonly name: string
  write(server: ServerProcess, step: number): Promise<void>
  /** The expected state after a step, in the format of `read`. */
  state(step: number): unknown
  read(server: ServerProcess): Promise<unknown>
}

type Answer = { readonly status: number; readonly body: ReturnType<typeof JSON.parse>; readonly text: string }

async function call(server: ServerProcess, method: string, path: string, body?: object): Promise<Answer> {
  const headers = { ...server.headers, ...(body && { 'content-type': 'application/json' }) }
  const answer = await fetch(`${server.url}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  const text = await answer.text()
  // An account has only one deployment at a time.
  if (answer.status === 429) {
    await sleep(5)
    return call(server, method, path, body)
  }
  if (answer.status >= 500) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
  return { status: answer.status, body: text === '' ? null : JSON.parse(text), text }
}

function requireDone({ status, text }: { readonly status: number; readonly text: string }, ...also: readonly number[]): void {
  if (status >= 300 && !also.includes(status)) throw new Error(`${status} ${text}`)
}

type Entry = { readonly id: string | number; readonly name: string; readonly groupId?: number | null }

async function listed(server: ServerProcess, path: string): Promise<readonly Entry[]> {
  const found: Entry[] = []
  for (let page = 1; ; page++) {
    const { body } = await call(server, 'GET', `${path}?limit=100&page=${page}`)
    if (body.length === 0) return found
    found.push(...body)
  }
}

const home = recordedCheck('home')
const window = { startsAt: '2026-11-20T21:00:00.000Z', endsAt: '2026-11-21T01:00:00.000Z' }
const checksAt = (step: number) => 1 + ((step * 7) % 5)
const isGoneAt = (step: number) => step % 5 === 4

/** A group, a window, and a varying number of checks in the group, as a project; every fifth step deletes it. */
function project(name: string): Subject {
  const titleAt = (step: number) => `${name} step ${step}`
  return {
    name,
    async write(server, step) {
      if (isGoneAt(step)) return requireDone(await call(server, 'DELETE', `/v1/projects/${name}`), 404)
      const checks = Array.from({ length: checksAt(step) }, (_, i) =>
        resource('check', `check-${i}`, { ...home, name: titleAt(step), groupId: { ref: 'group' } }),
      )
      const resources = [
        resource('check-group', 'group', { name: titleAt(step) }),
        resource('maintenance-window', 'window', { name: titleAt(step), tags: [name], ...window }),
        ...checks,
      ]
      requireDone(await call(server, 'POST', '/v1/projects/deploy', { project: { logicalId: name, name: titleAt(step) }, resources }))
    },
    state: (step) => (isGoneAt(step) ? [] : Array.from({ length: 3 + checksAt(step) }, () => titleAt(step))),
    async read(server) {
      const own = (entries: readonly Entry[]) => entries.filter((entry) => entry.name.startsWith(`${name} `))
      const groups = own(await listed(server, '/v1/check-groups'))
      const checks = own(await listed(server, '/v1/checks'))
      for (const check of checks) expect(check.groupId).toBe(groups[0]?.id)
      const others = [(await call(server, 'GET', '/v1/projects')).body, await listed(server, '/v1/maintenance-windows')].flatMap(own)
      return [...groups, ...checks, ...others].map((entry) => entry.name)
    },
  }
}

/** Its value is long, so that a partial write would be detected. */
function variable(name: string): Subject {
  const path = `/v1/variables/${name}`
  const textAt = (step: number) => `${step} `.repeat(500 + (step % 7) * 500)
  return {
    name,
    async write(server, step) {
      if (isGoneAt(step)) return requireDone(await call(server, 'DELETE', path), 404)
      const replaced = await call(server, 'PUT', path, { value: textAt(step) })
      requireDone(replaced.status === 404 ? await call(server, 'POST', '/v1/variables', { key: name, value: textAt(step) }) : replaced)
    },
    state: (step) => (isGoneAt(step) ? null : textAt(step)),
    async read(server) {
      const { status, body } = await call(server, 'GET', path)
      return status === 404 ? null : body.value
    },
  }
}

test(
  `a server killed ${rounds} times while projects are deployed and variables written keeps every acknowledged write, and no partial one`,
  async () => {
    console.log(`Kills while resources are written: seed ${seed} (TIDEMARK_TEST_SEED).`)
    const random = seeded(seed)
    const folder = configuredFolder({ rateLimit: { requests: 1_000_000, per: '1s' } })
    const key = await newKey(folder, 'read,write')
    const subjects = [...['shop', 'till'].map(project), ...['HOST', 'PORT'].map(variable)]
    const progress = subjects.map((subject) => ({ subject, sent: -1, acknowledged: -1 }))

    const failures: unknown[] = []
    const writeOn = async (server: ServerProcess, one: (typeof progress)[number], isOver: () => boolean) => {
      while (!isOver()) {
        const step = ++one.sent
        try {
          await one.subject.write(server, step)
        } catch (error) {
          if (!isOver() && !(error instanceof TypeError)) failures.push(error)
          return
        }
        one.acknowledged = step
      }
    }
    const verify = async (server: ServerProcess) => {
      for (const { subject, sent, acknowledged } of progress) {
        const found = await subject.read(server)
        const steps = Array.from({ length: sent - acknowledged + 1 }, (_, i) => acknowledged + i)
        const possible = steps.map((step) => (step < 0 ? subject.state(4) : subject.state(step)))
        expect(possible, `${subject.name} after seed ${seed}`).toContainEqual(found)
      }
    }

    for (let round = 0; round < rounds; round++) {
      const server = await serve(folder, { key })
      await verify(server)
      const before = progress.map(({ acknowledged }) => acknowledged)
      let isOver = false
      const writing = progress.map((one) => writeOn(server, one, () => isOver))
      await expect
        .poll(() => failures.length > 0 || progress.every(({ acknowledged }, i) => acknowledged > (before[i] ?? -1)), { timeout: 60_000 })
        .toBe(true)
      await sleep(random() * 700)
      isOver = true
      await server.kill()
      await Promise.all(writing)
      expect(failures).toEqual([])
    }
    const server = await serve(folder, { key })
    await verify(server)
    await server.kill()
    expect((await tidemark(folder, 'doctor')).stdout).toContain('No problems found')
  },
  rounds * 60_000 + 90_000,
)
