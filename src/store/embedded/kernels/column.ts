/** How a column's numbers are written; the narrowest that loses nothing is chosen. Absent numbers are the kind's own sentinel. */
const kinds = { absent: 0, constant: 1, byte: 2, short: 3, int: 4, thousandths: 5, double: 6 } as const
const headerBytes = 8
const sentinel = { byte: 0xff, short: 0xffff, int: -0x80000000 } as const

/** The bytes of a column; NaN stands for "not measured". */
export function encodeNumbers(values: Float64Array): Uint8Array {
  const { allAbsent, constant, whole, thousandths, min, max } = examine(values)
  if (allAbsent) return header(kinds.absent, 0)
  if (constant) return written(kinds.constant, new Float64Array([values[0] as number]))
  if (whole && min >= 0 && max < sentinel.byte) return written(kinds.byte, filled(new Uint8Array(values.length), values, 1, sentinel.byte))
  if (whole && min >= 0 && max < sentinel.short)
    return written(kinds.short, filled(new Uint16Array(values.length), values, 1, sentinel.short))
  if (whole && fitsInt(min, max)) return written(kinds.int, filled(new Int32Array(values.length), values, 1, sentinel.int))
  if (thousandths && fitsInt(min * 1000, max * 1000))
    return written(kinds.thousandths, filled(new Int32Array(values.length), values, 1000, sentinel.int))
  return written(kinds.double, values)
}

/** Reads the numbers `from` up to (not with) `to` of a column into `target`. */
export function decodeNumbers(bytes: Uint8Array, from: number, to: number, target: Float64Array): void {
  const kind = bytes[0]
  const at = bytes.byteOffset + headerBytes
  const count = to - from
  if (kind === kinds.absent) target.fill(Number.NaN)
  else if (kind === kinds.constant) target.fill(new Float64Array(bytes.buffer, at, 1)[0] as number)
  else if (kind === kinds.byte) copy(new Uint8Array(bytes.buffer, at + from, count), sentinel.byte, target)
  else if (kind === kinds.short) copy(new Uint16Array(bytes.buffer, at + 2 * from, count), sentinel.short, target)
  else if (kind === kinds.int) copy(new Int32Array(bytes.buffer, at + 4 * from, count), sentinel.int, target)
  else if (kind === kinds.thousandths) copyThousandths(new Int32Array(bytes.buffer, at + 4 * from, count), target)
  else if (kind === kinds.double) target.set(new Float64Array(bytes.buffer, at + 8 * from, count))
  else throw new Error(`A column of an unknown kind: ${kind}`)
}

function examine(values: Float64Array) {
  let whole = true
  let thousandths = true
  let constant = true
  let absent = 0
  let min = Number.POSITIVE_INFINITY
  let max = Number.NEGATIVE_INFINITY
  const first = values[0]
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number
    if (Number.isNaN(value)) {
      absent++
      constant = false
      continue
    }
    if (!Object.is(value, first)) constant = false
    if (whole && (!Number.isInteger(value) || Object.is(value, -0))) whole = false
    if (thousandths && (Math.round(value * 1000) / 1000 !== value || Object.is(value, -0))) thousandths = false
    if (value < min) min = value
    if (value > max) max = value
  }
  return { allAbsent: absent === values.length, constant, whole, thousandths, min, max }
}

const fitsInt = (min: number, max: number) => min > -0x7fffffff && max < 0x7fffffff

function header(kind: number, bodyBytes: number): Uint8Array {
  const bytes = new Uint8Array(headerBytes + bodyBytes)
  bytes[0] = kind
  return bytes
}

function written(kind: number, body: Uint8Array | Uint16Array | Int32Array | Float64Array): Uint8Array {
  const bytes = header(kind, body.byteLength)
  bytes.set(new Uint8Array(body.buffer, body.byteOffset, body.byteLength), headerBytes)
  return bytes
}

function filled<Target extends Uint8Array | Uint16Array | Int32Array>(
  target: Target,
  values: Float64Array,
  scale: number,
  absent: number,
): Target {
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number
    target[i] = Number.isNaN(value) ? absent : Math.round(value * scale)
  }
  return target
}

function copy(source: Uint8Array | Uint16Array | Int32Array, absent: number, target: Float64Array): void {
  for (let i = 0; i < source.length; i++) {
    const value = source[i] as number
    target[i] = value === absent ? Number.NaN : value
  }
}

function copyThousandths(source: Int32Array, target: Float64Array): void {
  for (let i = 0; i < source.length; i++) {
    const value = source[i] as number
    target[i] = value === sentinel.int ? Number.NaN : value / 1000
  }
}
