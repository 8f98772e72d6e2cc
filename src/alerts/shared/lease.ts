import type { Claim, ClaimStore } from '../../store/coordination.ts'

/** Leader election: at any instant, at most one process holds the lease. */
export type Lease = {
  /** The term that this process holds at this instant; null if it does not lead. */
  held(): number | null
  /** The leader when the claims were last read; null for none. */
  leader(): string | null
  /** Releases the lease, so that another process need not wait for it to expire. Call it after the work under the lease has stopped. */
  close(): Promise<void>
}

type LeaseClock = {
  /** The wall clock, which also counts while the machine sleeps. */
  now(): number
  monotonic(): number
  /** Resolves early once the signal is aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
}

type LeaseOptions = {
  readonly claims: ClaimStore
  /** Unique to this process and its start. */
  readonly owner: string
  readonly clock: LeaseClock
  readonly onWon: (term: number) => void
  readonly onLost: (term: number) => void
  readonly onFailure: (error: unknown) => void
}

/**
 * A lease is valid for `validMs` from before its holder sent the last beat. Other processes claim the next term once they have seen no
 * change for `expiryMs`. A claim must be acknowledged within `claimMs` of the read that it is based on. The deciding read follows at least
 * `settleMs` later, so that it sees all claims that may win. Each process measures these durations with its own clocks.
 */
const leaseTimes = { pollMs: 2000, renewMs: 5000, validMs: 17_000, expiryMs: 20_000, claimMs: 4000, settleMs: 5000 } as const

type Mark = { readonly monotonic: number; readonly wall: number }
type Held = { readonly term: number; beat: number; since: Mark }

export function startLease({ claims, owner, clock, onWon, onLost, onFailure }: LeaseOptions): Lease {
  const { pollMs, renewMs, validMs, expiryMs, claimMs, settleMs } = leaseTimes
  const closing = new AbortController()
  let lease: Held | null = null
  let observed: { readonly text: string; readonly since: number } | null = null
  let leader: string | null = null

  const mark = (): Mark => ({ monotonic: clock.monotonic(), wall: clock.now() })
  /** The longer of both clocks: only one of them counts while a machine sleeps. */
  const elapsed = ({ monotonic, wall }: Mark) => Math.max(clock.monotonic() - monotonic, clock.now() - wall)
  const isValid = (held: Held) => elapsed(held.since) < validMs

  async function run(): Promise<void> {
    while (!closing.signal.aborted) {
      const before = lease
      const failed = await (lease ? renew(lease) : follow()).then(
        () => false,
        (error) => {
          onFailure(error)
          return true
        },
      )
      if (lease && !isValid(lease)) lose(lease)
      await clock.sleep(lease && before === lease && !failed ? renewMs : lease && !failed ? 0 : pollMs, closing.signal)
    }
  }

  function lose({ term }: Held): void {
    lease = null
    observed = null
    onLost(term)
  }

  /** Another process may have claimed a higher term because it did not see this beat. */
  async function renew(held: Held): Promise<void> {
    const sent = mark()
    await bounded(claims.write({ term: held.term, owner, beat: ++held.beat, ended: false }))
    const seen = await readClaims()
    if (seen.some(({ term }) => term > held.term) || !isValid(held)) lose(held)
    else held.since = sent
  }

  async function follow(): Promise<void> {
    const asked = mark()
    const seen = await readClaims()
    const current = sinceLastHeld(seen)
    const text = JSON.stringify(current)
    if (observed?.text !== text) observed = { text, since: clock.monotonic() }
    const isFree = current.every(({ ended }) => ended) || clock.monotonic() - observed.since >= expiryMs
    if (isFree && !closing.signal.aborted) await claim(asked, seen)
  }

  async function claim(asked: Mark, seen: readonly Claim[]): Promise<void> {
    const mine = { term: (seen[0]?.term ?? 0) + 1, owner, beat: 0, ended: false }
    const sent = mark()
    try {
      await bounded(claims.write(mine))
      if (elapsed(asked) <= claimMs) {
        await clock.sleep(settleMs, closing.signal)
        const held = { term: mine.term, beat: 0, since: sent }
        if (isWinner(mine, seen, await readClaims()) && isValid(held) && !closing.signal.aborted) {
          lease = held
          leader = owner
          return onWon(held.term)
        }
      }
      await bounded(claims.write({ ...mine, beat: 1, ended: true }))
    } catch (error) {
      bounded(claims.write({ ...mine, beat: 1, ended: true })).catch(() => {})
      throw error
    }
  }

  async function readClaims(): Promise<readonly Claim[]> {
    const seen = await bounded(claims.read())
    leader = ofNewestTerm(seen).find(({ ended, beat }) => !ended && beat > 0)?.owner ?? null
    return seen
  }

  /** A statement that times out may still be executed. */
  async function bounded<T>(work: Promise<T>): Promise<T> {
    const done = new AbortController()
    const overdue = clock.sleep(claimMs, done.signal).then(() => {
      if (!done.signal.aborted) throw new Error(`The database did not answer within ${claimMs} ms.`)
      return work
    })
    try {
      return await Promise.race([work, overdue])
    } finally {
      done.abort()
      overdue.catch(() => {})
    }
  }

  const running = run()
  return {
    held: () => (lease && isValid(lease) ? lease.term : null),
    leader: () => leader,
    async close() {
      closing.abort()
      await running
      const held = lease
      lease = null
      if (held) await bounded(claims.write({ term: held.term, owner, beat: held.beat + 1, ended: true })).catch(onFailure)
    },
  }
}

/**
 * Claims of the last term that was held, and later ones: the holder of an earlier term has lost it. A term was held if its claim has a
 * second beat.
 */
function sinceLastHeld(claims: readonly Claim[]): readonly Claim[] {
  const held = claims.find(({ beat, ended }) => beat > (ended ? 1 : 0))
  return claims.filter(({ term }) => term >= (held?.term ?? 0))
}

const ofNewestTerm = (claims: readonly Claim[]) => claims.filter(({ term }) => term === claims[0]?.term)

/** All claims that may win see each other: the first by owner wins, unless an earlier holder has sent a beat or a later term is claimed. */
function isWinner(mine: Claim, before: readonly Claim[], now: readonly Claim[]): boolean {
  const isKnown = (claim: Claim) => before.some((other) => JSON.stringify(other) === JSON.stringify(claim))
  return (
    now.some(({ term, owner }) => term === mine.term && owner === mine.owner) &&
    now.every((claim) => {
      if (claim.term < mine.term) return claim.ended || isKnown(claim)
      return claim.term === mine.term && (claim.ended || claim.owner >= mine.owner)
    })
  )
}
