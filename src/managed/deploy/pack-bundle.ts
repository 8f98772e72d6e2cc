import { hash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { bundlePathsFault, encodeCodeBundle, maxBundleLength } from '../../checks/probe/playwright/code-bundle.ts'
import { readTar, TarFault } from './read-tar.ts'

const maxArchiveBytes = 64 * 2 ** 20

/** `bundle` is the text stored in definitions. */
type PackedBundle = { readonly bundle: string; readonly checksumSha256: string }

/** Packs a suite from a tar.gz upload, or returns its problem. Verifies the sender's checksum, in hex or base64. */
export function packBundle(archive: Uint8Array, expected: string | null = null): PackedBundle | { readonly problem: string } {
  const checksum = hash('sha256', archive, 'buffer')
  const checksumSha256 = checksum.toString('hex')
  if (expected !== null && expected !== checksumSha256 && expected !== checksum.toString('base64'))
    return { problem: 'its checksum does not match its header' }
  try {
    const files = readTar(inflated(archive))
    const fault = bundlePathsFault(files.map(({ path }) => path))
    if (fault !== null) return { problem: fault }
    const bundle = encodeCodeBundle(files)
    if (bundle.length <= maxBundleLength) return { bundle, checksumSha256 }
    return { problem: `it has ${bundle.length} characters when it is compressed, and ${maxBundleLength} at most are stored with a check` }
  } catch (error) {
    if (error instanceof TarFault) return { problem: error.message }
    throw error
  }
}

function inflated(archive: Uint8Array): Buffer {
  try {
    return gunzipSync(archive, { maxOutputLength: maxArchiveBytes })
  } catch (error) {
    const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
    throw new TarFault(isTooLarge ? `it has more than ${maxArchiveBytes} bytes when decompressed` : 'it is no gzip, or was cut off')
  }
}
