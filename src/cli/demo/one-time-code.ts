import type { Credentials } from '../../http/route.ts'
import { sha256 } from '../../ids/sha256.ts'

type OneTimeCode = { readonly code: string; readonly signIn: (code: string) => Credentials | undefined }

/** A code that can be exchanged for these credentials once; `random` gives 16 bytes. */
export function oneTimeCode(credentials: Credentials, random: Uint8Array): OneTimeCode {
  const code = Buffer.from(random).toString('base64url')
  let hash: string | null = sha256(code)
  return {
    code,
    signIn: (given) => {
      if (hash === null || sha256(given) !== hash) return undefined
      hash = null
      return credentials
    },
  }
}
