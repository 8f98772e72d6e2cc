import { createHmac, timingSafeEqual } from 'node:crypto'

/** Signed token in the link of a message: its bearer may acknowledge the incident without an API key. */
export function acknowledgeToken(secret: string, account: string, incident: string): string {
  const named = Buffer.from(JSON.stringify([account, incident])).toString('base64url')
  return `${named}.${signatureOf(secret, named)}`
}

/** Null for an invalid token. */
export function readAcknowledgeToken(secret: string, token: string): { readonly account: string; readonly incident: string } | null {
  const [named = '', signature = ''] = token.split('.')
  const [given, expected] = [Buffer.from(signature), Buffer.from(signatureOf(secret, named))]
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null
  const [account, incident] = JSON.parse(Buffer.from(named, 'base64url').toString()) as [string, string]
  return { account, incident }
}

function signatureOf(secret: string, named: string): string {
  return createHmac('sha256', secret).update(`acknowledge ${named}`).digest('base64url')
}
