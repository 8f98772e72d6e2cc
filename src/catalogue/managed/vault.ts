import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

/** The account and name that a ciphertext is bound to: it cannot be decrypted for another one. */
type SecretRef = { readonly account: string; readonly name: string }

/** Encrypts stored secrets with a key that neither the store nor its backups contain. */
export type Vault = {
  seal(value: string, place: SecretRef): string
  /** Null if it was sealed with another key, or was modified. */
  open(sealed: string, place: SecretRef): string | null
}

const algorithm = 'aes-256-gcm'
const ivBytes = 12
const tagBytes = 16
/** Distinguishes this encryption from later ones. */
const prefix = 'v1:'

/** `key` has 32 bytes. */
export function createVault(key: Buffer): Vault {
  return {
    seal(value, place) {
      const iv = randomBytes(ivBytes)
      const cipher = createCipheriv(algorithm, key, iv).setAAD(boundTo(place))
      const text = Buffer.concat([cipher.update(value, 'utf8'), cipher.final()])
      return prefix + Buffer.concat([iv, cipher.getAuthTag(), text]).toString('base64url')
    },
    open(sealed, place) {
      const bytes = Buffer.from(sealed.slice(prefix.length), 'base64url')
      if (!sealed.startsWith(prefix) || bytes.length < ivBytes + tagBytes) return null
      const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, ivBytes)).setAAD(boundTo(place))
      decipher.setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes))
      try {
        return Buffer.concat([decipher.update(bytes.subarray(ivBytes + tagBytes)), decipher.final()]).toString('utf8')
      } catch {
        return null
      }
    },
  }
}

const boundTo = ({ account, name }: SecretRef) => Buffer.from(JSON.stringify([account, name]))
