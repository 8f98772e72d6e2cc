/** Writes the values at these places, in their order, into `target`. */
export function take<Target extends Float64Array | Int32Array>(
  values: Float64Array | Int32Array,
  places: Int32Array,
  target: Target,
): Target {
  for (let i = 0; i < places.length; i++) target[i] = values[places[i] as number] as number
  return target
}
