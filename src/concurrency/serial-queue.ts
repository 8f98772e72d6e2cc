type Bound = {
  /** Limit of tasks queued behind the running one. */
  readonly maxWaiting: number
  /** The error for a task beyond the limit. */
  readonly onFull: () => Error
}

type SerialQueue = <T>(work: () => Promise<T>) => Promise<T>

/** Mutex with a FIFO queue: runs one task after the other, even after one that fails. */
export function createSerialQueue(bound?: Bound): SerialQueue {
  let last: Promise<unknown> = Promise.resolve()
  let unfinished = 0
  const finish = () => {
    unfinished--
  }
  return (work) => {
    if (bound && unfinished > bound.maxWaiting) return Promise.reject(bound.onFull())
    unfinished++
    const done = last.then(work)
    last = done.then(finish, finish)
    return done
  }
}
