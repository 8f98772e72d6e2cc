import { createHmac } from 'node:crypto'

type Signed = { readonly id: string; readonly body: string; readonly secrets: readonly string[]; readonly now: number }

/** The headers of Standard Webhooks; a signature for each secret, so that a secret can be replaced while both are valid. */
export function signatureHeaders({ id, body, secrets, now }: Signed): Readonly<Record<string, string>> {
  const timestamp = Math.floor(now / 1000)
  const signatures = secrets.map(
    (secret) => `v1,${createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.${body}`).digest('base64')}`,
  )
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    ...(signatures.length > 0 && { 'webhook-signature': signatures.join(' ') }),
  }
}

const prefix = 'whsec_'

/** `whsec_` and the base64 of 24 to 64 bytes. */
export function isSigningSecret(text: string): boolean {
  const { length } = keyOf(text)
  const encoded = text.slice(prefix.length)
  const isBase64 = /^[A-Za-z0-9+/]+={0,2}$/.test(encoded) && encoded.length % 4 === 0
  return text.startsWith(prefix) && isBase64 && length >= 24 && length <= 64
}

function keyOf(secret: string): Buffer {
  return Buffer.from(secret.slice(prefix.length), 'base64')
}
