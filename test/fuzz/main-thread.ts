import { existsSync, openSync, readSync } from 'node:fs'

const file = `/proc/${process.pid}/task/${process.pid}/schedstat`
const descriptor = existsSync(file) ? openSync(file, 'r') : null
const buffer = Buffer.alloc(64)

/** CPU time of the main thread: other threads and a busy machine do not count. Elapsed time on systems other than Linux. */
function usedMs(): number {
  if (descriptor === null) return performance.now()
  const length = readSync(descriptor, buffer, 0, buffer.length, 0)
  return Number.parseInt(buffer.toString('latin1', 0, length), 10) / 1e6
}

/**
 * The longest turn of the event loop during this work, in milliseconds of CPU time of the main thread. Turns are separated every
 * millisecond, so that the loop may sleep between them: several short ones may count as one, of about a millisecond more.
 */
export async function longestTurnMs(work: () => Promise<unknown>): Promise<number> {
  let longest = 0
  let before = usedMs()
  let isOver = false
  const ended = new Promise<void>((resolve) => {
    const turn = () => {
      const now = usedMs()
      longest = Math.max(longest, now - before)
      before = now
      if (isOver) resolve()
      else setTimeout(turn, 1)
    }
    setImmediate(turn)
  })
  try {
    await work()
  } finally {
    isOver = true
    await ended
  }
  return longest
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN
}
