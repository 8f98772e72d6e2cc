import { backoffMs } from '../../concurrency/backoff.ts'

type AddressesOptions = { readonly penaltyMs?: number; readonly maxPenaltyMs?: number; readonly monotonic?: () => number }
/** Since when an address is left out, how many failures in a row count, and whether a statement probes it since its last failure. */
type Penalty = { readonly since: number; readonly failures: number; readonly isProbed: boolean }

const defaultPenaltyMs = 15_000
const defaultMaxPenaltyMs = 120_000

/**
 * Chooses servers in turn; one that failed is left out for some time, unless all have. After it one statement probes the server, and the others
 * go on without it until that one is answered; each probe that fails doubles the time, up to a bound.
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
    /** Whether another than this one may be tried now. */
    hasOther: (address: Address) => all.some((other) => other !== address && !isLeftOut(other)),
  }
}
