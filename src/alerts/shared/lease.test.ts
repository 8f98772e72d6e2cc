import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { triesOf } from '../../../test/support/tries.ts'
import type { Claim } from '../../store/coordination.ts'
import { type Lease, startLease } from './lease.ts'

const second = 1000

/** `rate` is the speed of the process's clock, which may be off by one percent. During a stop, the process is suspended. */
type Process = {
  readonly rate: number
  readonly stops: readonly { readonly at: number; readonly forMs: number }[]
  readonly killedAt: number
}

const process = (more: Partial<Process> = {}): Process => ({ rate: 1, stops: [], killedAt: Number.POSITIVE_INFINITY, ...more })

type World = {
  readonly processes: readonly Process[]
  /** Latencies of statements and of their answers, in turn: used in order and repeated, or 5 ms without any. */
  readonly delays: readonly number[]
  /** From this instant on, every latency is 5 ms. */
  readonly calmFrom: number
}

type Event = { at: number; readonly owner: number | null; readonly act: () => void }

/** Lets promises settle. */
async function settle(): Promise<void> {
  for (let i = 0; i < 30; i++) await null
}

/** Leases of several processes over one simulated database, in simulated time. */
function simulate({ processes, delays, calmFrom }: World) {
  let now = 0
  let sent = 0
  const events: Event[] = []
  const rows: Claim[] = []
  const won: { readonly owner: number; readonly at: number }[] = []

  const delay = () => (now < calmFrom ? (delays[sent++ % Math.max(1, delays.length)] ?? 5) : 5)
  const at = (time: number, owner: number | null, act: () => void) => events.push({ at: time, owner, act })

  /** A statement takes effect even if its sender has died. Only the answer waits until the sender is awake. */
  function statement<T>(owner: number, work: () => T): Promise<T> {
    return new Promise((resolve) => {
      const arrives = now + delay()
      const answered = arrives + delay()
      at(arrives, null, () => {
        const answer = work()
        at(answered, owner, () => resolve(answer))
      })
    })
  }
  const latest = (): readonly Claim[] => {
    const byOwner = new Map<string, Claim>()
    for (const row of rows) {
      const key = JSON.stringify([row.term, row.owner])
      const other = byOwner.get(key)
      byOwner.set(key, {
        ...row,
        beat: Math.max(row.beat, other?.beat ?? 0),
        ended: row.ended || (other?.ended ?? false),
      })
    }
    return [...byOwner.values()].sort((a, b) => b.term - a.term || (a.owner < b.owner ? -1 : 1))
  }

  const leases = processes.map(({ rate }, owner): Lease => {
    const monotonic = () => 1000 * owner + rate * now
    return startLease({
      owner: `process-${owner}`,
      claims: {
        read: () => statement(owner, latest),
        write: (claim) => statement(owner, () => void rows.push(claim)),
        deleteBefore: async () => {},
      },
      clock: {
        monotonic,
        now: monotonic,
        sleep: (ms, signal) =>
          new Promise((resolve) => {
            const end = () => {
              signal.removeEventListener('abort', end)
              events.splice(events.indexOf(due) >>> 0, 1)
              resolve()
            }
            const due = { at: now + ms / rate, owner, act: end }
            events.push(due)
            signal.addEventListener('abort', end)
          }),
      },
      onWon: () => won.push({ owner, at: now }),
      onLost: () => {},
      onFailure: () => {},
    })
  })

  /** When a process handles an event that is due at this instant; null if it was killed before. */
  function awakeAt(owner: number, time: number): number | null {
    const { stops, killedAt } = processes[owner] as Process
    if (time >= killedAt) return null
    const stop = stops.find((each) => time >= each.at && time < each.at + each.forMs)
    return stop ? awakeAt(owner, stop.at + stop.forMs) : time
  }

  async function runUntil(end: number, observe: () => void): Promise<void> {
    await settle()
    for (;;) {
      events.sort((a, b) => a.at - b.at)
      const [next] = events
      if (!next || next.at > end) break
      now = next.at
      const awake = next.owner === null ? now : awakeAt(next.owner, now)
      if (awake !== null && awake > now) {
        next.at = awake
        continue
      }
      events.splice(events.indexOf(next), 1)
      if (awake === null) continue
      next.act()
      await settle()
      observe()
    }
    now = end
  }
  const alive = () => leases.flatMap((lease, owner) => ((processes[owner]?.killedAt ?? 0) > now ? [lease] : []))
  return {
    runUntil,
    leases,
    won,
    /** Adds a claim of another process at an instant. */
    claimAt: (time: number, claim: Claim) => at(time, null, () => rows.push(claim)),
    /** Includes suspended processes, since they might resume now. */
    holders: () => alive().filter((lease) => lease.held() !== null).length,
    now: () => now,
    rows: (): readonly Claim[] => rows,
  }
}

describe('a lease', () => {
  test('is won by one of several processes that start together, which keeps it', async () => {
    const world = simulate({ processes: [process(), process(), process()], delays: [], calmFrom: 0 })
    const holders = new Set<number>()
    await world.runUntil(300 * second, () => holders.add(world.holders()))
    expect([...holders].sort()).toEqual([0, 1])
    expect(world.won.map(({ owner }) => owner)).toEqual([0])
    expect(world.won[0]?.at).toBeLessThan(10 * second)
    expect(world.leases.map((lease) => lease.leader())).toEqual(Array(3).fill('process-0'))
  })

  test('passes to another process within half a minute of a kill', async () => {
    const world = simulate({ processes: [process({ killedAt: 100 * second }), process(), process()], delays: [], calmFrom: 0 })
    await world.runUntil(200 * second, () => {})
    expect(world.won.map(({ owner }) => owner)).toEqual([0, 1])
    expect(world.won[1]?.at).toBeLessThan(130 * second)
  })

  test('passes to another process at once if it is released', async () => {
    const world = simulate({ processes: [process(), process()], delays: [], calmFrom: 0 })
    await world.runUntil(50 * second, () => {})
    void world.leases[0]?.close()
    await world.runUntil(65 * second, () => {})
    expect(world.won.map(({ owner }) => owner)).toEqual([0, 1])
  })

  test('is no longer held by a process that was suspended and resumes', async () => {
    const stops = [{ at: 50 * second, forMs: 60 * second }]
    const world = simulate({ processes: [process({ stops }), process()], delays: [], calmFrom: 0 })
    await world.runUntil(109 * second, () => {})
    expect(world.won.map(({ owner }) => owner)).toEqual([0, 1])
    expect(world.leases[0]?.held()).toBeNull()
    await world.runUntil(300 * second, () => expect(world.leases[0]?.held()).toBeNull())
  })

  test('is released by its holder after a claim to a higher term, even if that claim was withdrawn', async () => {
    const world = simulate({ processes: [process()], delays: [], calmFrom: 0 })
    world.claimAt(50 * second, { term: 2, owner: 'other', beat: 1, ended: true })
    await world.runUntil(49 * second, () => {})
    expect(world.leases[0]?.held()).toBe(1)
    await world.runUntil(100 * second, () => {})
    expect(world.won.map(({ owner }) => owner)).toEqual([0, 0])
    expect(world.leases[0]?.held()).toBe(3)
  })

  test('is not won if the earlier holder renews it after the claim', async () => {
    const world = simulate({ processes: [process()], delays: [], calmFrom: 0 })
    world.claimAt(-1, { term: 1, owner: 'other', beat: 7, ended: false })
    world.claimAt(23 * second, { term: 1, owner: 'other', beat: 8, ended: false })
    await world.runUntil(22 * second, () => {})
    expect(world.rows().some(({ term, owner }) => term === 2 && owner === 'process-0')).toBe(true)
    await world.runUntil(26 * second, () => {})
    expect([world.won, world.rows().at(-1)]).toMatchObject([[], { term: 2, owner: 'process-0', ended: true }])
    // The beat is valid for 17 seconds, even though a claim to the next term was made and withdrawn.
    await world.runUntil(40 * second, () => {})
    expect(world.won).toEqual([])
    await world.runUntil(60 * second, () => {})
    expect(world.won.map(({ owner }) => owner)).toEqual([0])
  })

  test('has at most one holder, however long statements and processes stall, and soon has one again', async () => {
    const quick = fc.integer({ min: 1, max: 200 })
    const delays = fc.array(
      fc.oneof({ weight: 6, arbitrary: quick }, fc.integer({ min: 200, max: 6000 }), fc.integer({ min: 6000, max: 60_000 })),
      {
        minLength: 1,
        maxLength: 60,
      },
    )
    const stops = fc.array(fc.record({ at: fc.integer({ min: 0, max: 130_000 }), forMs: fc.integer({ min: 10, max: 70_000 }) }), {
      maxLength: 4,
    })
    const processes = fc.array(
      fc.record({
        rate: fc.constantFrom(0.99, 1, 1.01),
        stops,
        killedAt: fc.oneof({ weight: 3, arbitrary: fc.constant(Number.POSITIVE_INFINITY) }, fc.integer({ min: 0, max: 130_000 })),
      }),
      { minLength: 2, maxLength: 4 },
    )
    await fc.assert(
      fc.asyncProperty(processes, delays, async (given, slow) => {
        const world = simulate({ processes: [...given, process()], delays: slow, calmFrom: 150 * second })
        const several: number[] = []
        await world.runUntil(260 * second, () => {
          if (world.holders() > 1) several.push(world.now())
        })
        expect(several, 'instants with several holders').toEqual([])
        expect(world.holders()).toBe(1)
      }),
      { numRuns: triesOf(60) },
    )
  })
})
