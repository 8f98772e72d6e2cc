type StallOptions = { readonly stallMs: number; readonly onStall: () => void }

/** Passes chunks on; calls `onStall` once the next one is not asked for within a time, which a client that reads too slowly causes. */
export async function* watchStall<T>(chunks: AsyncIterable<T>, { stallMs, onStall }: StallOptions): AsyncGenerator<T> {
  for await (const chunk of chunks) {
    const timer = setTimeout(onStall, stallMs)
    try {
      yield chunk
    } finally {
      clearTimeout(timer)
    }
  }
}
