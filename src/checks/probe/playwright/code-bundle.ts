import { promisify } from 'node:util'
import { gunzip, gzipSync } from 'node:zlib'
import { fileAndFolder, maxPathBytes, staysInFolder } from '../../../files/stays-in-folder.ts'

/** A file of a suite; its path is relative to one folder, with slashes. */
export type BundledFile = { readonly path: string; readonly content: Buffer }

/** The prefix of a bundle as text; the rest is gzip in base64url. */
export const bundlePrefix = 'tidemark-bundle-1.'
export const maxBundleLength = 240_000

export const bundleLimits = { files: 500, bytes: 4 * 2 ** 20 } as const
/** In base64, with paths and punctuation. */
const maxTextBytes = 2 * bundleLimits.bytes

type EncodedFile = { readonly path: string; readonly base64: string }

/** Encodes a suite as one text, to be stored in a definition. */
export function encodeCodeBundle(files: readonly BundledFile[]): string {
  const encoded = files.map(({ path, content }): EncodedFile => ({ path, base64: content.toString('base64') }))
  return `${bundlePrefix}${gzipSync(JSON.stringify(encoded), { level: 9 }).toString('base64url')}`
}

const inflate = promisify(gunzip)

/** Throws a `RangeError` if the text is not a bundle, a path leaves its folder, or the files are too many or too large. */
export async function decodeCodeBundle(bundle: string): Promise<readonly BundledFile[]> {
  const files = await filesIn(bundle)
  if (files === null || !files.every(isEncodedFile)) throw new RangeError('it is not a bundle')
  if (files.length > bundleLimits.files) throw new RangeError(`it has more than ${bundleLimits.files} files`)
  const fault = bundlePathsFault(files.map(({ path }) => path))
  if (fault !== null) throw new RangeError(fault)
  return files.map(({ path, base64 }) => ({ path, content: Buffer.from(base64, 'base64') }))
}

/** Validates the paths of a suite; returns the fault in words. */
export function bundlePathsFault(paths: readonly string[]): string | null {
  const named = (path: string) => JSON.stringify(path.slice(0, 100))
  const odd = paths.find((path) => !staysInFolder(path))
  if (odd !== undefined) return `the path ${named(odd)} leaves its folder`
  const long = paths.find((path) => Buffer.byteLength(path) > maxPathBytes)
  if (long !== undefined) return `the path that begins with ${named(long)} has more than ${maxPathBytes} bytes`
  const both = fileAndFolder(paths)
  return both === undefined ? null : `${named(both)} is a file and a folder`
}

export const isCodeBundle = (text: unknown): text is string =>
  typeof text === 'string' && text.startsWith(bundlePrefix) && text.length <= maxBundleLength

async function filesIn(bundle: string): Promise<readonly EncodedFile[] | null> {
  if (!isCodeBundle(bundle)) return null
  try {
    const text = await inflate(Buffer.from(bundle.slice(bundlePrefix.length), 'base64url'), { maxOutputLength: maxTextBytes })
    const files: unknown = JSON.parse(text.toString('utf8'))
    return Array.isArray(files) ? files : null
  } catch {
    return null
  }
}

function isEncodedFile(value: unknown): value is EncodedFile {
  const { path, base64 } = Object(value) as Partial<Record<keyof EncodedFile, unknown>>
  return typeof path === 'string' && typeof base64 === 'string'
}
