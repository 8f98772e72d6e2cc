import { crc32 } from 'node:zlib'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Gives that many random bytes. */
type RandomBytes = (size: number) => Uint8Array

/** A new key: `tdm_`, 8 characters to find it by, 32 random ones, and a checksum of all before it. */
export function newKey(random: RandomBytes): { readonly id: string; readonly key: string } {
  const id = randomBase62(8, random)
  const body = `tdm_${id}_${randomBase62(32, random)}`
  return { id, key: `${body}_${checksum(body)}` }
}

function checksum(text: string): string {
  let rest = crc32(text)
  let digits = ''
  for (let place = 0; place < 6; place++) {
    digits = `${alphabet.charAt(rest % 62)}${digits}`
    rest = Math.floor(rest / 62)
  }
  return digits
}

/** Bytes from 248 on are passed over, so that every character is as likely as any other. */
function randomBase62(length: number, random: RandomBytes): string {
  let text = ''
  while (text.length < length) {
    for (const byte of random(length)) if (byte < 248 && text.length < length) text += alphabet.charAt(byte % 62)
  }
  return text
}
