/** The rows of a stream of NDJSON, one by one, so that its size does not matter. */
export async function* rowsOf<Row>(stream: ReadableStream<Uint8Array>): AsyncGenerator<Row, void, undefined> {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  try {
    for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
      const lines = `${rest}${value}`.split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) yield JSON.parse(line)
    }
    if (rest !== '') yield JSON.parse(rest)
  } finally {
    await reader.cancel()
  }
}
