/** Ends of the slider in nines: 50 % to 99.999 %. */
export const sliderEnds = { min: 0.3, max: 5, step: 0.05 } as const

/** The slider position is the number of nines, so 99 to 99.9 is as far as 99.9 to 99.99. */
export function positionOf(target: number): number {
  const nines = 2 - Math.log10(100 - target)
  return Math.min(sliderEnds.max, Math.max(sliderEnds.min, nines))
}

/** The target at a position. The allowed failure share has two significant digits. */
export function targetAt(position: number): number {
  const allowed = Number((10 ** (2 - position)).toPrecision(2))
  return Number((100 - allowed).toFixed(6))
}

/** A target that the API accepts; null for anything else. */
export function readTarget(text: string): string | null {
  const value = /^[0-9]{1,2}(\.[0-9]{1,10})?$/.test(text) ? Number(text) : 0
  return value > 0 && value < 100 ? text : null
}
