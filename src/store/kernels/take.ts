/** The values at these indexes, in the order of the indexes. */
export function take<Values extends Float64Array | Int32Array | Uint8Array>(values: Values, indexes: Int32Array): Values {
  const taken = new (values.constructor as new (length: number) => Values)(indexes.length)
  copy(values, indexes, taken)
  return taken
}

function copy(values: Float64Array | Int32Array | Uint8Array, indexes: Int32Array, target: Float64Array | Int32Array | Uint8Array) {
  for (let i = 0; i < indexes.length; i++) target[i] = values[indexes[i] as number] as number
}
