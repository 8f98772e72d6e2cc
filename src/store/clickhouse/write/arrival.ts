/** When results were stored, by the clock of the storing process: milliseconds and 20 more bits. */
export type Arrival = bigint

/** Bound of the clock skew between processes. */
export const maxSkewMs = 30_000

const fractionBits = 20n
const maxUint64 = 2n ** 64n - 1n

/** The smallest arrival of an instant. */
export const arrivalAt = (instant: number): Arrival => BigInt(Math.max(0, Math.floor(instant))) << fractionBits

/** Of results with the same key the first to arrive counts: its precedence is the largest. */
export const precedenceOf = (arrival: Arrival) => maxUint64 - arrival

/** Ascending numbers. A random fraction keeps those of different processes distinct, except by rare chance. */
export function createArrivals(clock: () => number, random = Math.random): () => Arrival {
  const fraction = BigInt(Math.floor(random() * 2 ** Number(fractionBits - 1n)))
  const sequence = createSequence()
  return () => sequence.next(arrivalAt(clock()) + fraction)
}

export type Sequence = ReturnType<typeof createSequence>

/** Lamport clock: ascending numbers, each at least as large as the given arrival and larger than all that were seen. */
export function createSequence() {
  let last: Arrival = 0n
  return {
    next(arrival: Arrival): Arrival {
      last = arrival > last ? arrival : last + 1n
      return last
    },
    seen(arrival: Arrival): void {
      if (arrival > last) last = arrival
    },
  }
}
