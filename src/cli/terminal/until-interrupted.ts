const signals = ['SIGINT', 'SIGTERM'] as const

/** Aborts the work's signal on the first Ctrl+C or SIGTERM; a second one ends the process. */
export async function untilInterrupted<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const abort = new AbortController()
  const stop = () => abort.abort()
  for (const signal of signals) process.once(signal, stop)
  try {
    return await work(abort.signal)
  } finally {
    for (const signal of signals) process.off(signal, stop)
  }
}
