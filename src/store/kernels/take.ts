/** The values at these places, in their order. */
export function take<Values extends Float64Array | Int32Array | Uint8Array>(values: Values, places: Int32Array): Values {
  const taken = new (values.constructor as new (length: number) => Values)(places.length)
  copy(values, places, taken)
  return taken
}

function copy(values: Float64Array | Int32Array | Uint8Array, places: Int32Array, target: Float64Array | Int32Array | Uint8Array) {
  for (let i = 0; i < places.length; i++) target[i] = values[places[i] as number] as number
}
