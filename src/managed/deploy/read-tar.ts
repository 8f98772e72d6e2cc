import { isAscii } from 'node:buffer'
import { type BundledFile, bundleLimits } from '../../checks/probe/playwright/code-bundle.ts'
import { staysInFolder } from '../../files/stays-in-folder.ts'

const blockBytes = 512

export class TarFault extends Error {}

/** Files that runs do not need: nothing is installed, suites import what is bundled with Tidemark. */
const skipped = /(^|\/)(node_modules\/.*|package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?)$/

/** The files of a tar archive, within limits. Rejects links, special files and paths that leave the folder. */
export function readTar(archive: Buffer): readonly BundledFile[] {
  const files = new Map<string, Buffer>()
  let [at, bytes] = [0, 0]
  let longName: string | null = null
  while (at + blockBytes <= archive.length) {
    const header = archive.subarray(at, at + blockBytes)
    if (header.every((byte) => byte === 0)) break
    const size = octal(header, 124, 12)
    const content = archive.subarray(at + blockBytes, at + blockBytes + size)
    if (content.length < size) throw new TarFault('it is truncated')
    at += blockBytes + Math.ceil(size / blockBytes) * blockBytes
    const type = String.fromCharCode(header[156] ?? 0)
    if (type === 'x' || type === 'L') {
      longName = type === 'L' ? textOf(content) : (paxPath(content) ?? longName)
      continue
    }
    if (type === 'g') continue
    const path = (longName ?? nameIn(header)).replace(/^\.\//, '')
    longName = null
    if (type === '5') continue
    if (!staysInFolder(path)) throw new TarFault(`the path ${JSON.stringify(path.slice(0, 100))} leaves its folder`)
    if (skipped.test(path)) continue
    if (type !== '0' && type !== '\0')
      throw new TarFault(`${path.slice(0, 100)} is a link or a special file; only regular files are accepted`)
    bytes += size
    if (bytes > bundleLimits.bytes) throw new TarFault(`its files exceed ${bundleLimits.bytes} bytes`)
    if (files.size === bundleLimits.files) throw new TarFault(`it has more than ${bundleLimits.files} files`)
    files.set(path, Buffer.from(content))
  }
  if (files.size === 0) throw new TarFault('it has no files')
  // Sorted, so that equal suites give equal text.
  return [...files].map(([path, content]) => ({ path, content })).sort((a, b) => (a.path < b.path ? -1 : 1))
}

function octal(header: Buffer, from: number, length: number): number {
  const text = textOf(header.subarray(from, from + length)).trim()
  if (!/^[0-7]{1,11}$/.test(text)) throw new TarFault('it is not a tar archive')
  return Number.parseInt(text, 8)
}

function nameIn(header: Buffer): string {
  const isUstar = header.toString('latin1', 257, 262) === 'ustar'
  const prefix = isUstar ? textOf(header.subarray(345, 500)) : ''
  const name = textOf(header.subarray(0, 100))
  return prefix === '' ? name : `${prefix}/${name}`
}

/** Up to the first NUL. */
function textOf(bytes: Buffer): string {
  const end = bytes.indexOf(0)
  return bytes.toString('utf8', 0, end < 0 ? bytes.length : end)
}

/** Parses the records of a pax header, each prefixed by its length. */
function paxPath(records: Buffer): string | null {
  let found: string | null = null
  for (let at = 0; at < records.length; ) {
    const space = records.indexOf(0x20, at)
    const digits = records.subarray(at, space < 0 ? at : space)
    const length = isAscii(digits) ? Number(digits.toString('latin1')) : Number.NaN
    if (!(Number.isInteger(length) && length > 0 && at + length <= records.length)) throw new TarFault('it is not a tar archive')
    const record = records.toString('utf8', space + 1, at + length - 1)
    if (record.startsWith('path=')) found = record.slice('path='.length)
    at += length
  }
  return found
}
