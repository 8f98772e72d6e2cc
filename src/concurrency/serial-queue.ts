type Bound = {
  /** Tasks that may wait behind the one that runs. */
  readonly maxWaiting: number
  /** What a task beyond that is rejected with. */
  readonly onFull: () => Error
}

/** Runs one task. */
type SerialQueue = <T>(work: () => Promise<T>) => Promise<T>

/** Mutex with a FIFO queue: runs one task after the other, also after one that fails. */
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
