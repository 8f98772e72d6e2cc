import type { Numbers } from '../../kernels/numbers.ts'

/** Memory for numbers that are needed until the next call; its content is undefined. */
export type ScratchBuffer = (kind: 'ints' | 'doubles', length: number) => Numbers

/** A larger buffer is not reused. */
const maxReusedBytes = 16 * 2 ** 20

/** Reuses one buffer, so that questions leave no garbage. */
export function createScratchBuffer(): ScratchBuffer {
  let reused = new ArrayBuffer(0)
  return (kind, length) => {
    const bytes = length * (kind === 'ints' ? Int32Array : Float64Array).BYTES_PER_ELEMENT
    const buffer = bytes <= reused.byteLength ? reused : new ArrayBuffer(bytes)
    if (bytes <= maxReusedBytes) reused = buffer
    return kind === 'ints' ? new Int32Array(buffer, 0, length) : new Float64Array(buffer, 0, length)
  }
}
