import { crc32 } from 'node:zlib'
import { DamagedData } from './errors.ts'

/** A checksum that also covers where the bytes belong, so that a row under a wrong key is noticed. */
export function checksum(key: string, bytes: Uint8Array | string): number {
  return crc32(bytes, crc32(key))
}

/** A row: the key in its checksum, and its description in a damage report. */
type Row = { readonly key: string; readonly finding: string }

export function verify({ key, finding }: Row, bytes: Uint8Array | string, crc: number): void {
  if (checksum(key, bytes) !== crc) throw new DamagedData(`The stored data at ${key} is damaged. Run: tidemark doctor`, finding)
}
