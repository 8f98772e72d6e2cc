import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'

/** Bytes of a body that are read; also the limit of the decompressed body. */
export const bodyLimit = 10 * 1024 * 1024

type Decompress = (input: Buffer, options: { readonly maxOutputLength: number }) => Buffer
const encodings: Readonly<Record<string, Decompress>> = {
  gzip: gunzipSync,
  'x-gzip': gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
}

/** Returns the body unchanged if it cannot be decompressed within the limit. */
export function decompressed(body: Buffer, encoding: string | undefined): Buffer {
  const decompress = encodings[encoding?.trim().toLowerCase() ?? '']
  if (!decompress || body.length === 0) return body
  try {
    return decompress(body, { maxOutputLength: bodyLimit })
  } catch {
    return body
  }
}
