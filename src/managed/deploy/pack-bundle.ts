import { gunzipSync } from 'node:zlib'
import { bundlePathsFault, encodeCodeBundle, maxBundleLength } from '../../checks/probe/playwright/code-bundle.ts'
import { readTar, TarFault } from './read-tar.ts'

const maxArchiveBytes = 64 * 2 ** 20

/** A suite that was uploaded as tar.gz, as the text that definitions hold; or what is wrong with it. */
export function packBundle(archive: Uint8Array): { readonly bundle: string } | { readonly problem: string } {
  try {
    const files = readTar(inflated(archive))
    const fault = bundlePathsFault(files.map(({ path }) => path))
    if (fault !== null) return { problem: fault }
    const bundle = encodeCodeBundle(files)
    if (bundle.length <= maxBundleLength) return { bundle }
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
