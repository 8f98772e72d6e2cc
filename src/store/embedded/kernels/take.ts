/** The values at these places, in their order. */
export function take<Values extends Float64Array | Int32Array>(values: Values, places: Int32Array): Values {
  const taken = new (values.constructor as new (length: number) => Values)(places.length)
  for (let i = 0; i < places.length; i++) taken[i] = values[places[i] as number] as number
  return taken
}
