import type { Numbers } from '../kernels/numbers.ts'

/** Gives memory for numbers that are needed for a moment; what it holds is of no account. */
export type ScratchBuffer = (kind: 'ints' | 'doubles', length: number) => Numbers

/** More than this is not kept for the next time. */
const mostBytes = 16 * 2 ** 20

/** The same memory each time, so that a question leaves nothing behind to be collected. */
export function createScratchBuffer(): ScratchBuffer {
  let kept = new ArrayBuffer(0)
  return (kind, length) => {
    const bytes = length * (kind === 'ints' ? Int32Array : Float64Array).BYTES_PER_ELEMENT
    const buffer = bytes <= kept.byteLength ? kept : new ArrayBuffer(bytes)
    if (bytes <= mostBytes) kept = buffer
    return kind === 'ints' ? new Int32Array(buffer, 0, length) : new Float64Array(buffer, 0, length)
  }
}
