import { backoffMs } from '../../concurrency/backoff.ts'

type AddressesOptions = { readonly penaltyMs?: number; readonly maxPenaltyMs?: number; readonly monotonic?: () => number }
/** Backoff of a failed address. `isProbed`: a statement was sent to it since its last failure; only then does another failure count. */
type Penalty = { readonly since: number; readonly failures: number; readonly isProbed: boolean }

const defaultPenaltyMs = 15_000
const defaultMaxPenaltyMs = 120_000

/**
 * Round-robin over servers with backoff: a failed server is skipped for a while, unless all are. Then one statement probes it, and the
 * others keep skipping it until that is answered; each failed probe doubles the time, up to `maxPenaltyMs`.
 */
export function createAddresses<Address>(all: readonly [Address, ...Address[]], options: AddressesOptions = {}) {
  const { penaltyMs = defaultPenaltyMs, maxPenaltyMs = defaultMaxPenaltyMs, monotonic = () => performance.now() } = options
  const penalties = new Map<Address, Penalty>()
  let turn = -1
  const isLeftOut = (address: Address) => {
    const penalty = penalties.get(address)
    return penalty !== undefined && monotonic() - penalty.since < backoffMs(penalty.failures, { firstMs: penaltyMs, maxMs: maxPenaltyMs })
  }
  const chosen = (address: Address): Address => {
    const penalty = penalties.get(address)
    if (penalty) penalties.set(address, { ...penalty, since: monotonic(), isProbed: true })
    return address
  }

  return {
    choose(): Address {
      for (let tried = 0; tried < all.length; tried++) {
        turn = (turn + 1) % all.length
        if (!isLeftOut(all[turn] as Address)) return chosen(all[turn] as Address)
      }
      const [longestAgo] = all.toSorted((a, b) => (penalties.get(a)?.since ?? 0) - (penalties.get(b)?.since ?? 0)) as [Address]
      return longestAgo
    },
    failed(address: Address): void {
      const before = penalties.get(address)
      const failures = before === undefined ? 1 : before.failures + (before.isProbed ? 1 : 0)
      penalties.set(address, { since: monotonic(), failures, isProbed: false })
    },
    answered: (address: Address) => void penalties.delete(address),
    /** Whether some other address may be tried now. */
    hasOther: (address: Address) => all.some((other) => other !== address && !isLeftOut(other)),
  }
}
