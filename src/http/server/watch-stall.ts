type StallOptions = { readonly stallMs: number; readonly onStall: () => void }

/** Passes chunks on. Calls `onStall` if the next one is not requested in time, because the client reads too slowly. */
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
