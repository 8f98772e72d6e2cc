/** When results were stored, by the clock of the process that did it: milliseconds and 20 bits more. */
export type Arrival = bigint

/** Clocks of processes differ by less. */
export const maxSkewMs = 30_000

const fractionBits = 20n
const maxUint64 = 2n ** 64n - 1n

/** The first arrival of an instant. */
export const arrivalAt = (instant: number): Arrival => BigInt(Math.max(0, Math.floor(instant))) << fractionBits

/** Of results with the same key the first that came counts: its precedence is the largest. */
export const precedenceOf = (arrival: Arrival) => maxUint64 - arrival

/** Ascending numbers, of which no two processes have the same but by rare chance. */
export function createArrivals(clock: () => number, random = Math.random): () => Arrival {
  const fraction = BigInt(Math.floor(random() * 2 ** Number(fractionBits - 1n)))
  const sequence = createSequence()
  return () => sequence.next(arrivalAt(clock()) + fraction)
}

export type Sequence = ReturnType<typeof createSequence>

/** Ascending numbers, each at least as large as its arrival and larger than all that were seen: a Lamport clock. */
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
