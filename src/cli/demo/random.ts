/** Returns numbers in [0, 1); deterministic by seed. */
export type Random = () => number

/** Mulberry32: small, fast, and uniform enough for sample data. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** A log-normal random number with the median `typical`. */
export function logNormal(random: Random, typical: number, spread: number): number {
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
  return typical * Math.exp(spread * normal)
}
