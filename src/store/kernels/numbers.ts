/** Doubles, where NaN means absent; or integers that are `scale` times the value, where `absentInt` means absent. */
export type Numbers = Float64Array | Int32Array

/** Marks an absent value in an Int32Array. */
export const absentInt = -0x80000000

/** Integers hold values as they are, or thousandths of them. */
export type Scale = 1 | 1000

/** Whether `value × scale` is an integer of 32 bits, so that an Int32Array holds it without loss. */
export function isInt(value: number, scale: Scale): boolean {
  const int = Math.round(value * scale)
  return int / scale === value && fitsInt(int, int) && !Object.is(value, -0)
}

export const fitsInt = (min: number, max: number) => min > -0x7fffffff && max < 0x7fffffff
