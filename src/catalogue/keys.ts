import { crc32 } from 'node:zlib'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

type RandomBytes = (size: number) => Uint8Array

/** A new key, or a token of another prefix: `tdm_`, an id of 8 characters, 32 random characters, and a checksum of everything before it. */
export function newKey(random: RandomBytes, prefix: 'tdm' | 'tdl' = 'tdm'): { readonly id: string; readonly key: string } {
  const id = randomBase62(8, random)
  const body = `${prefix}_${id}_${randomBase62(32, random)}`
  return { id, key: `${body}_${checksum(body)}` }
}

function checksum(text: string): string {
  let rest = crc32(text)
  let digits = ''
  for (let digit = 0; digit < 6; digit++) {
    digits = `${alphabet.charAt(rest % 62)}${digits}`
    rest = Math.floor(rest / 62)
  }
  return digits
}

/** Rejection sampling: bytes from 248 (4 × 62) on are skipped, since `% 62` would make some characters more likely. */
function randomBase62(length: number, random: RandomBytes): string {
  let text = ''
  while (text.length < length) {
    for (const byte of random(length)) if (byte < 248 && text.length < length) text += alphabet.charAt(byte % 62)
  }
  return text
}
