import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { systemClock } from '../../src/runner/clock.ts'
import { startRunner } from '../../src/runner/runner.ts'
import { scheduleOf, slotAfter } from '../../src/runner/schedule.ts'
import type { Store } from '../../src/store/store.ts'
import { testCatalogue } from './catalogue.ts'
import { checkOf, checkTypeOf, type Taken, testProbe } from './checks.ts'
import { recordingLog } from './log.ts'

type SoakFigures = {
  readonly due: number
  readonly ran: number
  /** Slots without a run, and slots with several runs. */
  readonly emptySlots: number
  readonly doubledSlots: number
  readonly overlaps: number
  readonly latestMs: number
  readonly stored: number
  readonly heapGrowthBytes: number
  readonly said: readonly string[]
}

type Start = { readonly check: number; readonly at: number }

/** Runs `checks` checks, each every ten seconds, against a local server for the given time. */
export async function soak(options: { readonly checks: number; readonly forMs: number; readonly store: Pick<Store, 'append' | 'latest'> }) {
  const server = await startServer()
  const going = new Set<string>()
  const starts: Start[] = []
  let overlaps = 0
  let stored = 0
  const origin = Date.now() - performance.now()
  const steadyNow = () => origin + performance.now()

  const checkType = checkTypeOf(async ({ signal }, { name = '' }) => {
    if (going.has(name)) overlaps += 1
    going.add(name)
    starts.push({ check: Number(name), at: steadyNow() })
    const taken = await exchange(server.port, signal)
    going.delete(name)
    return taken
  })
  const checks = Array.from({ length: options.checks }, (_, index) =>
    checkOf(`check-${index}`, checkType, { settings: { name: String(index) } }),
  )
  const store = {
    latest: options.store.latest,
    async append(results: Parameters<Store['append']>[0]) {
      const appended = await options.store.append(results)
      stored += results.length - appended.duplicates.length
      return appended
    },
  }
  const log = recordingLog()
  const began = steadyNow()
  const runner = startRunner({
    catalogue: testCatalogue({ checks }),
    store,
    clock: systemClock,
    log,
    probe: testProbe,
    chromium: null,
    env: {},
    locations: null,
  })
  const startedUp = steadyNow()
  await sleep(options.forMs / 3)
  const heapBefore = heapUsed()
  await sleep((options.forMs * 2) / 3)
  const ended = steadyNow()
  await runner.close()
  const heapGrowthBytes = heapUsed() - heapBefore
  await server.close()

  const slots = checks.map((check) => slotsBetween(scheduleOf(check), began, ended))
  return {
    due: slots.flat().filter((slot) => slot > startedUp).length,
    ran: starts.length,
    ...heldAgainst(slots, starts, { from: startedUp, to: ended - 1000 }),
    overlaps,
    stored,
    heapGrowthBytes,
    said: log.messages,
  } satisfies SoakFigures
}

function slotsBetween(rhythm: ReturnType<typeof scheduleOf>, from: number, to: number): readonly number[] {
  const slots: number[] = []
  for (let { at } = slotAfter(rhythm, from); at <= to; at += rhythm.everyMs) slots.push(at)
  return slots
}

/** Assigns each run to its nearest slot. Slots close to the start and stop of the runner may be empty. */
function heldAgainst(
  slots: readonly (readonly number[])[],
  starts: readonly Start[],
  certain: { readonly from: number; readonly to: number },
) {
  const counts = slots.map((times) => times.map(() => 0))
  let latestMs = 0
  for (const { check, at } of starts) {
    const times = slots[check] ?? []
    const nearest = times.reduce((best, time, index) => (Math.abs(time - at) < Math.abs((times[best] ?? 0) - at) ? index : best), 0)
    const count = counts[check] ?? []
    count[nearest] = (count[nearest] ?? 0) + 1
    latestMs = Math.max(latestMs, Math.abs(at - (times[nearest] ?? 0)))
  }
  const all = counts.flatMap((count, check) => count.map((runs, index) => ({ runs, slot: slots[check]?.[index] ?? 0 })))
  const isEmpty = ({ runs, slot }: { runs: number; slot: number }) => runs === 0 && slot > certain.from && slot < certain.to
  return { emptySlots: all.filter(isEmpty).length, doubledSlots: all.filter(({ runs }) => runs > 1).length, latestMs }
}

async function startServer() {
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy())
    socket.on('data', () => setTimeout(() => socket.end('pong'), Math.random() * 300))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { port: (server.address() as AddressInfo).port, close: () => new Promise((resolve) => server.close(resolve)) }
}

function exchange(port: number, signal: AbortSignal): Promise<Taken> {
  const began = performance.now()
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', signal })
    const end = (failure: string | null) => resolve({ metrics: { took: performance.now() - began }, failure, broken: failure !== null })
    socket.on('error', (error) => end(error.message))
    socket.on('close', () => end(null))
    socket.resume().write('ping')
  })
}

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

function heapUsed(): number {
  collectGarbage()
  collectGarbage()
  return process.memoryUsage().heapUsed
}
