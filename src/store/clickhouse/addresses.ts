type AddressesOptions = { readonly penaltyMs?: number; readonly monotonic?: () => number }

const defaultPenaltyMs = 15_000

/** Chooses servers in turn; one that failed is left out for some time, unless all have. */
export function createAddresses<Address>(all: readonly [Address, ...Address[]], options: AddressesOptions = {}) {
  const { penaltyMs = defaultPenaltyMs, monotonic = () => performance.now() } = options
  const failedAt = new Map<Address, number>()
  let turn = -1
  const isPenalized = (address: Address) => monotonic() - (failedAt.get(address) ?? Number.NEGATIVE_INFINITY) < penaltyMs

  return {
    choose(): Address {
      for (let tried = 0; tried < all.length; tried++) {
        turn = (turn + 1) % all.length
        if (!isPenalized(all[turn] as Address)) return all[turn] as Address
      }
      const [longestAgo] = all.toSorted((a, b) => (failedAt.get(a) ?? 0) - (failedAt.get(b) ?? 0)) as [Address]
      return longestAgo
    },
    failed: (address: Address) => void failedAt.set(address, monotonic()),
    /** Whether another than this one may be tried now. */
    hasOther: (address: Address) => all.some((other) => other !== address && !isPenalized(other)),
  }
}
