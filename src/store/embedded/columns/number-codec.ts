import { absentInt, fitsInt, isInt, type Scale } from '../../kernels/numbers.ts'

/**
 * The encodings of a number column; the narrowest lossless one is chosen. Each has its own sentinel for absent numbers, and the second byte
 * of the header says whether there are any.
 */
const kinds = { absent: 0, constant: 1, byte: 2, short: 3, int: 4, thousandths: 5, double: 6 } as const
const headerBytes = 8
const sentinel = { byte: 0xff, short: 0xffff, int: absentInt } as const

/** Encodes a column; NaN means absent. */
export function encodeNumbers(values: Float64Array): Uint8Array {
  const { absent, constant, whole, thousandths, min, max } = examine(values)
  const size = values.length
  const gaps = absent > 0
  if (absent === size) return header(kinds.absent, gaps, 0)
  if (constant) return written(kinds.constant, gaps, new Float64Array([values[0] as number]))
  if (whole && min >= 0 && max < sentinel.byte) return written(kinds.byte, gaps, scaled(values, 1, sentinel.byte, new Uint8Array(size)))
  if (whole && min >= 0 && max < sentinel.short) return written(kinds.short, gaps, scaled(values, 1, sentinel.short, new Uint16Array(size)))
  if (whole && fitsInt(min, max)) return written(kinds.int, gaps, scaled(values, 1, sentinel.int, new Int32Array(size)))
  if (thousandths) return written(kinds.thousandths, gaps, scaled(values, 1000, sentinel.int, new Int32Array(size)))
  return written(kinds.double, gaps, values)
}

/** Decodes the numbers `[from, to)` of a column into `target`; returns whether any may be absent. */
export function decodeNumbers(bytes: Uint8Array, from: number, to: number, target: Float64Array): boolean {
  const kind = bytes[0]
  const gaps = bytes[1] === 1
  const at = bytes.byteOffset + headerBytes
  const count = to - from
  if (kind === kinds.absent) target.fill(Number.NaN)
  else if (kind === kinds.constant) target.fill(new Float64Array(bytes.buffer, at, 1)[0] as number)
  else if (kind === kinds.byte) copyBytes(new Uint8Array(bytes.buffer, at + from, count), gaps, target)
  else if (kind === kinds.short) copyShorts(new Uint16Array(bytes.buffer, at + 2 * from, count), gaps, target)
  else if (kind === kinds.int) copyInts(new Int32Array(bytes.buffer, at + 4 * from, count), gaps, 1, target)
  else if (kind === kinds.thousandths) copyInts(new Int32Array(bytes.buffer, at + 4 * from, count), gaps, 1000, target)
  else if (kind === kinds.double) target.set(new Float64Array(bytes.buffer, at + 8 * from, count))
  else throw new Error(`A column of an unknown kind: ${kind}`)
  return gaps
}

/** Random access to a column without absent numbers. */
export function numberReader(bytes: Uint8Array): (index: number) => number {
  const { kind, values } = valuesIn(bytes)
  if (kind === kinds.constant) return () => values[0] as number
  if (kind === kinds.thousandths) return (index) => (values[index] as number) / 1000
  return (index) => values[index] as number
}

function valuesIn({ buffer, byteOffset, byteLength, 0: kind }: Uint8Array) {
  const [at, size] = [byteOffset + headerBytes, byteLength - headerBytes]
  if (kind === kinds.byte) return { kind, values: new Uint8Array(buffer, at, size) }
  if (kind === kinds.short) return { kind, values: new Uint16Array(buffer, at, size / 2) }
  if (kind === kinds.int || kind === kinds.thousandths) return { kind, values: new Int32Array(buffer, at, size / 4) }
  if (kind === kinds.constant || kind === kinds.double) return { kind, values: new Float64Array(buffer, at, size / 8) }
  throw new Error(`A column of an unknown kind: ${kind}`)
}

/** Whether the numbers of a column, multiplied by `scale`, are whole and fit into 32 bits, so that `decodeInts` can read them. */
export function holdsInts(bytes: Uint8Array, scale: Scale): boolean {
  const kind = bytes[0]
  if (kind === kinds.constant) return isInt(new Float64Array(bytes.buffer, bytes.byteOffset + headerBytes, 1)[0] as number, scale)
  if (kind === kinds.int || kind === kinds.thousandths) return scale === (kind === kinds.int ? 1 : 1000)
  return kind !== kinds.double
}

/** As `decodeNumbers`, but as integers: each number times `scale`, `absentInt` if absent. */
export function decodeInts(bytes: Uint8Array, from: number, to: number, scale: Scale, target: Int32Array): boolean {
  const kind = bytes[0]
  const gaps = bytes[1] === 1
  const at = bytes.byteOffset + headerBytes
  const count = to - from
  if (kind === kinds.absent) target.fill(absentInt)
  else if (kind === kinds.constant) target.fill(Math.round((new Float64Array(bytes.buffer, at, 1)[0] as number) * scale))
  else if (kind === kinds.byte) widenBytes(new Uint8Array(bytes.buffer, at + from, count), gaps, scale, target)
  else if (kind === kinds.short) widenShorts(new Uint16Array(bytes.buffer, at + 2 * from, count), gaps, scale, target)
  else target.set(new Int32Array(bytes.buffer, at + 4 * from, count))
  return gaps
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
    if (thousandths && !isInt(value, 1000)) thousandths = false
    if (value < min) min = value
    if (value > max) max = value
  }
  return { absent, constant, whole, thousandths, min, max }
}

function header(kind: number, gaps: boolean, bodyBytes: number): Uint8Array {
  const bytes = new Uint8Array(headerBytes + bodyBytes)
  bytes[0] = kind
  bytes[1] = gaps ? 1 : 0
  return bytes
}

function written(kind: number, gaps: boolean, body: Uint8Array | Uint16Array | Int32Array | Float64Array): Uint8Array {
  const bytes = header(kind, gaps, body.byteLength)
  bytes.set(new Uint8Array(body.buffer, body.byteOffset, body.byteLength), headerBytes)
  return bytes
}

function scaled<Target extends Uint8Array | Uint16Array | Int32Array>(
  values: Float64Array,
  scale: number,
  absent: number,
  target: Target,
): Target {
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number
    target[i] = Number.isNaN(value) ? absent : Math.round(value * scale)
  }
  return target
}

// TypedArray.set converts widths far faster than a loop; one function per width keeps each loop monomorphic.

function copyBytes(source: Uint8Array, gaps: boolean, target: Float64Array): void {
  target.set(source)
  if (gaps) for (let i = 0; i < source.length; i++) if (source[i] === sentinel.byte) target[i] = Number.NaN
}

function copyShorts(source: Uint16Array, gaps: boolean, target: Float64Array): void {
  target.set(source)
  if (gaps) for (let i = 0; i < source.length; i++) if (source[i] === sentinel.short) target[i] = Number.NaN
}

function copyInts(source: Int32Array, gaps: boolean, scale: Scale, target: Float64Array): void {
  target.set(source)
  if (scale !== 1) for (let i = 0; i < target.length; i++) target[i] = (target[i] as number) / scale
  if (gaps) for (let i = 0; i < source.length; i++) if (source[i] === sentinel.int) target[i] = Number.NaN
}

function widenBytes(source: Uint8Array, gaps: boolean, scale: Scale, target: Int32Array): void {
  target.set(source)
  multiply(target, scale)
  if (gaps) for (let i = 0; i < source.length; i++) if (source[i] === sentinel.byte) target[i] = absentInt
}

function widenShorts(source: Uint16Array, gaps: boolean, scale: Scale, target: Int32Array): void {
  target.set(source)
  multiply(target, scale)
  if (gaps) for (let i = 0; i < source.length; i++) if (source[i] === sentinel.short) target[i] = absentInt
}

function multiply(ints: Int32Array, scale: Scale): void {
  if (scale !== 1) for (let i = 0; i < ints.length; i++) ints[i] = Math.imul(ints[i] as number, scale)
}
