/** Doubles, where NaN means absent; or integers that are `scale` times the value, where `absentInt` means absent. */
export type Numbers = Float64Array | Int32Array

/** Marks an absent value in an Int32Array. */
export const absentInt = -0x80000000

/** Integers hold the values themselves, or their thousandths. */
export type Scale = 1 | 1000

/** Whether `value × scale` is an integer of 32 bits, so that an Int32Array holds it without loss. */
export function isInt(value: number, scale: Scale): boolean {
  const int = Math.round(value * scale)
  return int / scale === value && fitsInt(int, int) && !Object.is(value, -0)
}

/** Whether an Int32Array can hold all integers from `min` to `max` in addition to `absentInt`. */
export const fitsInt = (min: number, max: number) => min > absentInt && max <= 0x7fffffff

/**
 * The values as whole thousandths; null if any is not. Integer and floating-point sums round differently, and which form a group's values
 * arrive in depends on other groups. So integers are used whenever possible.
 */
export function toThousandths(values: Numbers): Int32Array | null {
  if (values instanceof Int32Array) return values
  for (let i = 0; i < values.length; i++) if (!isInt(values[i] as number, 1000)) return null
  const thousandths = new Int32Array(values.length)
  for (let i = 0; i < values.length; i++) thousandths[i] = Math.round((values[i] as number) * 1000)
  return thousandths
}
